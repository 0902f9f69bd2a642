(* The Laplacian of a weighted graph, as something to compute and as a matrix.

   A graph is a list `rows` of its nodes and a function `A` that gives the weight of every pair of them.
   Everything here computes: sums run over lists, and the ring may be the integers. The matrix with these
   entries is what the theorems speak of. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum zmodp matrix.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(* The sum of f over a list. Mathematical Components seals its own \sum, so that it does not compute. *)
Definition total (R : ringType) (V : Type) (s : seq V) (f : V -> R) : R :=
  foldr (fun a rest => f a + rest) 0 s.

Lemma totalE (R : ringType) (V : Type) (s : seq V) (f : V -> R) : total s f = \sum_(a <- s) f a.
Proof. by rewrite unlock. Qed.

(* Definitions. *)

Section Laplacian.

Variables (R : comRingType) (V : eqType) (A : V -> V -> R) (rows : seq V).

Definition degree (a : V) : R := total rows (A a).

(* L = D - A, entry by entry. *)
Definition laplacian (a b : V) : R := (if a == b then degree a else 0) - A a b.

(* The matrix of a function of two nodes: row i belongs to the i-th node of the list. *)
Definition matrix_of (f : V -> V -> R) : 'M[R]_(size rows) :=
  \matrix_(i, j) f (tnth (in_tuple rows) i) (tnth (in_tuple rows) j).

(* The row of X that belongs to node a; zero for what is not in the list. *)
Definition row_of (k : nat) (X : 'M[R]_(size rows, k)) (a : V) : 'rV[R]_k :=
  if insub (index a rows) is Some i then row i X else 0.

End Laplacian.

(* Scalar product and squared length of vectors: |x|^2 is the sum of the squares of all channels. *)
Definition dot (R : comRingType) (k : nat) (x y : 'rV[R]_k) : R := \sum_c x 0 c * y 0 c.
Definition squared (R : comRingType) (k : nat) (x : 'rV[R]_k) : R := dot x x.

(* The same for any matrix of weights. *)
Definition matrix_laplacian (R : comRingType) (N : nat) (A : 'M[R]_N) : 'M[R]_N :=
  diag_mx (\row_i \sum_j A i j) - A.

(* Vectors. *)

Section Vectors.

Variables (R : comRingType) (k : nat).
Implicit Types x y : 'rV[R]_k.

Lemma dotC x y : dot x y = dot y x.
Proof. by apply: eq_bigr => c _; rewrite mulrC. Qed.

Lemma dotBr x y z : dot x (y - z) = dot x y - dot x z.
Proof. by rewrite -sumrB; apply: eq_bigr => c _; rewrite !mxE mulrBr. Qed.

(* What the two orders of one pair add up to. *)
Lemma dot_both_orders x y : dot x (x - y) + dot y (y - x) = squared (x - y).
Proof.
rewrite -big_split; apply: eq_bigr => c _ /=.
by rewrite !mxE -(opprB (x 0 c)) mulrN -mulrBl.
Qed.

Lemma squared_sym x y : squared (x - y) = squared (y - x).
Proof. by apply: eq_bigr => c _; rewrite !mxE -opprB mulrNN. Qed.

End Vectors.

(* From rows of a matrix to nodes of a list. *)

Section Rows.

Variables (R : comRingType) (V : eqType) (rows : seq V).
Hypothesis rows_uniq : uniq rows.

Local Notation node := (tnth (in_tuple rows)).

Lemma node_inj : injective node.
Proof. by apply/injectiveP; rewrite /injectiveb /dinjectiveb map_tnth_enum. Qed.

Lemma row_of_node k (X : 'M[R]_(size rows, k)) i : row_of X (node i) = row i X.
Proof.
have lt_i := ltn_ord i.
rewrite /row_of (tnth_nth (node i)) /= index_uniq // insubT /=.
by congr (row _ X); apply: val_inj.
Qed.

Lemma sum_rows (F : V -> R) : \sum_i F (node i) = \sum_(a <- rows) F a.
Proof. by rewrite [RHS]big_tnth. Qed.

Lemma matrix_of_laplacian (A : V -> V -> R) :
  matrix_of rows (laplacian A rows) = matrix_laplacian (matrix_of rows A).
Proof.
apply/matrixP=> i j; rewrite !mxE /laplacian (inj_eq node_inj) /degree totalE -sum_rows.
by congr (_ - _); case: eqP => _ //; apply: eq_bigr => b _; rewrite mxE.
Qed.

End Rows.

(* The energy tr(X^T L X), as a sum over pairs of nodes. *)

Section Energy.

Variables (R : comRingType) (k : nat).

Lemma trace_pairs N (L : 'M[R]_N) (X : 'M[R]_(N, k)) :
  \tr (X^T *m L *m X) = \sum_i \sum_j L i j * dot (row i X) (row j X).
Proof.
rewrite -mulmxA mxtrace_mulC /mxtrace; apply: eq_bigr => i _.
under [RHS]eq_bigr do rewrite mulr_sumr.
rewrite exchange_big mxE; apply: eq_bigr => c _ /=.
by rewrite !mxE mulr_suml; apply: eq_bigr => j _; rewrite !mxE mulrAC mulrA.
Qed.

Lemma matrix_energy N (A : 'M[R]_N) (X : 'M[R]_(N, k)) :
  \tr (X^T *m matrix_laplacian A *m X) = \sum_i \sum_j A i j * dot (row i X) (row i X - row j X).
Proof.
rewrite trace_pairs; apply: eq_bigr => i _.
under eq_bigr do rewrite !mxE mulrBl.
under [RHS]eq_bigr do rewrite dotBr mulrBr.
rewrite !sumrB; congr (_ - _).
rewrite (bigD1 i) //= eqxx mulr1n mulr_suml [X in _ + X]big1 ?addr0 // => j /negPf.
by rewrite eq_sym => ->; rewrite mul0r.
Qed.

Lemma energy (V : eqType) (A : V -> V -> R) (rows : seq V) (X : 'M[R]_(size rows, k)) :
  uniq rows ->
  \tr (X^T *m matrix_of rows (laplacian A rows) *m X) =
  \sum_(a <- rows) \sum_(b <- rows) A a b * dot (row_of X a) (row_of X a - row_of X b).
Proof.
move=> rows_uniq; rewrite matrix_of_laplacian // matrix_energy -[RHS]sum_rows; apply: eq_bigr => i _.
by rewrite -[RHS]sum_rows; apply: eq_bigr => j _; rewrite !mxE !row_of_node.
Qed.

(* The constant vectors are in the kernel of every Laplacian. *)
Lemma matrix_laplacian_constant N (A : 'M[R]_N) (c : R) :
  matrix_laplacian A *m (const_mx c : 'cV_N) = 0.
Proof.
apply/matrixP=> i j; rewrite !mxE; under eq_bigr do rewrite !mxE mulrBl.
rewrite sumrB (bigD1 i) //= eqxx mulr1n mulr_suml [X in _ + X - _]big1 ?addr0 ?subrr // => l /negPf.
by rewrite eq_sym => ->; rewrite mul0r.
Qed.

End Energy.

(* A sum over all pairs below n: the diagonal, and each pair i < j in both orders. *)
Lemma sum_pairs (R : ringType) (F : nat -> nat -> R) n :
  \sum_(0 <= i < n) \sum_(0 <= j < n) F i j =
  \sum_(0 <= i < n) F i i + \sum_(0 <= j < n) \sum_(0 <= i < j) (F i j + F j i).
Proof.
elim: n => [|n IHn]; first by rewrite !big_geq // addr0.
under eq_bigr do rewrite big_nat_recr //=.
rewrite big_split /= !(@big_nat_recr _ _ _ n) //= IHn big_split /=.
by rewrite (AC (3*2) (1*5*(2*(4*3)))).
Qed.

Lemma sum_positive (R : ringType) (F : nat -> R) n :
  \sum_(0 <= i < n) (if (0 < i)%N then F i else 0) = \sum_(1 <= i < n) F i.
Proof.
case: n => [|n]; first by rewrite !big_geq.
by rewrite big_nat_recl //= add0r [RHS]big_add1.
Qed.
