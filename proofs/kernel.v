(* The kernel of a Laplacian has one dimension for each connected component of its graph. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum zmodp matrix mxalgebra.
From Supra Require Import laplacian supra_graph.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Kernel.

Variables (R : realFieldType) (N : nat) (A : 'M[R]_N).
Hypothesis A_sym : forall i j, A i j = A j i.
Hypothesis A_ge0 : forall i j, 0 <= A i j.

Local Notation L := (matrix_laplacian A).

(* i and j are joined by an edge. *)
Definition joined : rel 'I_N := fun i j => A i j != 0.

Lemma joined_sym : symmetric joined.
Proof. by move=> i j; rewrite /joined A_sym. Qed.

Lemma laplacian_sym : L^T = L.
Proof.
rewrite /matrix_laplacian linearB /= tr_diag_mx; congr (_ - _).
by apply/matrixP=> i j; rewrite mxE A_sym.
Qed.

(* Twice the energy of one vector: every pair counts in both orders. *)
Lemma twice_energy (x : 'rV[R]_N) :
  (x *m L *m x^T) 0 0 *+ 2 = \sum_i \sum_j A i j * (x 0 i - x 0 j) ^+ 2.
Proof.
have -> : (x *m L *m x^T) 0 0 = \sum_i \sum_j A i j * (x 0 i * (x 0 i - x 0 j)).
  have := matrix_energy A x^T; rewrite trmxK /mxtrace big_ord1 => ->.
  by apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite /dot big_ord1 !mxE.
rewrite mulr2n {1}exchange_big -big_split; apply: eq_bigr => i _ /=.
rewrite -big_split; apply: eq_bigr => j _ /=.
by rewrite A_sym -mulrDr -(opprB (x 0 i)) mulrN addrC -mulrBl -expr2.
Qed.

(* A vector in the kernel is constant along edges ... *)
Lemma kernel_along_edges (x : 'rV[R]_N) i j : x *m L = 0 -> joined i j -> x 0 i = x 0 j.
Proof.
move=> xL0; have := twice_energy x; rewrite xL0 mul0mx mxE mul0rn => /esym sum0.
have term_ge0 p q : 0 <= A p q * (x 0 p - x 0 q) ^+ 2 by rewrite mulr_ge0 ?sqr_ge0.
have row_ge0 p : 0 <= \sum_q A p q * (x 0 p - x 0 q) ^+ 2 by apply: sumr_ge0.
have row0 := psumr_eq0P (fun p _ => row_ge0 p) sum0 (i := i) isT.
have /eqP := psumr_eq0P (fun q _ => term_ge0 i q) row0 (i := j) isT.
by rewrite mulf_eq0 sqrf_eq0 subr_eq0 => /orP[/eqP A0|/eqP //]; rewrite /joined A0 eqxx.
Qed.

(* ... and so on components. *)
Lemma kernel_on_components (x : 'rV[R]_N) i j : x *m L = 0 -> connect joined i j -> x 0 i = x 0 j.
Proof.
move=> xL0 /connectP[p path_p ->] {j}; elim: p i path_p => //= j p IHp i /andP[ij path_p].
by rewrite (kernel_along_edges xL0 ij) IHp.
Qed.

(* Conversely, a vector that is constant along edges is in the kernel. *)
Lemma constant_in_kernel (x : 'rV[R]_N) : (forall i j, joined i j -> x 0 i = x 0 j) -> x *m L = 0.
Proof.
move=> constant; apply: trmx_inj; rewrite trmx_mul laplacian_sym trmx0.
apply/colP=> i; rewrite !mxE; under eq_bigr do rewrite !mxE mulrBl.
rewrite sumrB (bigD1 i) //= eqxx mulr1n mulr_suml [X in _ + X - _]big1 ?addr0 => [|j]; last first.
  by move/negPf; rewrite eq_sym => ->; rewrite mul0r.
apply/eqP; rewrite subr_eq0; apply/eqP; apply: eq_bigr => j _.
by have [->|ij] := eqVneq (A i j) 0; [rewrite !mul0r|rewrite (constant i j)].
Qed.

(* Components have representatives, `leader i`. One row of B for each: 1 on its component, 0 elsewhere. *)
Local Notation leader := (fingraph.root joined).
Local Notation dim := #|[pred i | roots joined i]|.
Local Notation rep r := (enum_val r : 'I_N).
Definition B : 'M[R]_(dim, N) := \matrix_(r, j) (leader j == rep r)%:R.
Definition picks : 'M[R]_(N, dim) := \matrix_(j, r) (j == rep r)%:R.

Lemma leader_rep (r : 'I_dim) : leader (rep r) = rep r.
Proof. by apply/eqP; have := enum_valP r; rewrite inE. Qed.

Lemma mul_picks m (Y : 'M[R]_(m, N)) i r : (Y *m picks) i r = Y i (rep r).
Proof.
rewrite mxE (bigD1 (rep r)) //= mxE eqxx mulr1 big1 ?addr0 // => j /negPf neq_j.
by rewrite mxE neq_j mulr0.
Qed.

Lemma B_free : row_free B.
Proof.
apply/row_freeP; exists picks; apply/matrixP=> r s.
by rewrite mul_picks !mxE leader_rep (inj_eq enum_val_inj) eq_sym.
Qed.

Lemma B_in_kernel : B *m L = 0.
Proof.
apply/row_matrixP=> r; rewrite row_mul row0; apply: constant_in_kernel => i j ij; rewrite !mxE.
suff /eqP -> : leader i == leader j by [].
by rewrite root_connect ?connect1 //; apply: sym_connect_sym joined_sym.
Qed.

Lemma kernel_in_B m (Y : 'M[R]_(m, N)) : Y *m L = 0 -> Y = Y *m picks *m B.
Proof.
move=> YL0; apply/matrixP=> i j; rewrite mxE.
have leader_j : leader j \in [pred i | roots joined i].
  by rewrite inE roots_root //; apply: sym_connect_sym joined_sym.
rewrite (bigD1 (enum_rank_in leader_j (leader j))) //= big1 => [|r neq_r]; last first.
  rewrite [B _ _]mxE; case: eqP => [eq_r|]; last by rewrite mulr0.
  by case/eqP: neq_r; apply: enum_val_inj; rewrite enum_rankK_in.
rewrite addr0 mul_picks mxE enum_rankK_in // eqxx mulr1.
have := @kernel_on_components (row i Y) j (leader j); rewrite !mxE; apply.
  by rewrite -row_mul YL0 row0.
exact: connect_root.
Qed.

Theorem kernel_components : \rank (kermx L) = n_comp joined 'I_N.
Proof.
have above : (kermx L <= B)%MS by rewrite (kernel_in_B (mulmx_ker L)) submxMl.
have below : (B <= kermx L)%MS by rewrite sub_kermx B_in_kernel.
have -> : \rank (kermx L) = \rank B by apply/eqP; rewrite eqn_leq !mxrankS.
by rewrite (eqP B_free) /n_comp_mem; apply: eq_card => i; rewrite !inE andbT.
Qed.

End Kernel.

(* The same for the supra-Laplacian: components of the supra-graph, in which two rows are joined if they have
   a common edge inside a layer or are one node in neighbouring layers. *)

Section SupraKernel.

Variables (R : realFieldType) (T n : nat) (w : nat -> nat -> nat -> R) (mu : R) (global drop : bool).
Hypothesis w_sym : forall t u v, w t u v = w t v u.
Hypothesis w_ge0 : forall t u v, 0 <= w t u v.
Hypothesis mu_ge0 : 0 <= mu.

Local Notation rows := (supra_rows T n w global drop).

Definition supra_joined : rel 'I_(size rows) := fun i j =>
  supra_adjacency n w mu (tnth (in_tuple rows) i) (tnth (in_tuple rows) j) != 0.

Lemma adjacency_ge0 a b : 0 <= supra_adjacency n w mu a b.
Proof.
case: a b => t u [s v]; rewrite /supra_adjacency /layer_weight.
by repeat case: ifP => _ //; rewrite ?ler01.
Qed.

Theorem supra_kernel_components :
  \rank (kermx (L_supra T n w mu global drop)) = n_comp supra_joined 'I_(size rows).
Proof.
rewrite /L_supra matrix_of_laplacian ?supra_rows_uniq // kernel_components => [|i j|i j].
- have same : joined (matrix_of rows (supra_adjacency n w mu)) =2 supra_joined.
    by move=> i j; rewrite /joined mxE.
  by rewrite /n_comp_mem; apply: eq_card => i; rewrite !inE (eq_roots same).
- by rewrite !mxE adjacency_sym.
- by rewrite mxE adjacency_ge0.
Qed.

End SupraKernel.
