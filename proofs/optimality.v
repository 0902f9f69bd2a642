(* The lowest eigenvectors minimise the energy, and so, by Proposition 1, change along edges and time.

   Given is an orthonormal basis of eigenvectors with eigenvalues in ascending order. (Over the real numbers
   every symmetric matrix has one.) *)
From mathcomp Require Import all_ssreflect ssralg ssrnum zmodp matrix mxalgebra.
From Supra Require Import laplacian supra_graph proposition1.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* The columns of X are orthonormal. *)
Definition orthonormal (R : comRingType) N k (X : 'M[R]_(N, k)) : Prop := X^T *m X = 1%:M.

(* The columns of U are eigenvectors of L, those of `values` their eigenvalues, the lowest first. *)
Definition ascending_eigenbasis (R : realFieldType) N (L U : 'M[R]_N) (values : 'rV[R]_N) : Prop :=
  [/\ orthonormal U, L *m U = U *m diag_mx values
    & forall i j : 'I_N, (i <= j)%N -> values 0 i <= values 0 j].

(* The first k columns. *)
Definition lowest (R : comRingType) N k (le_kN : (k <= N)%N) (U : 'M[R]_N) : 'M[R]_(N, k) :=
  \matrix_(i, c) U i (widen_ord le_kN c).

(* How much of X lies along each row: the squared lengths of its rows. *)

Section Shares.

Variables (R : realFieldType) (N k : nat).
Implicit Types Y : 'M[R]_(N, k).

Definition share Y (i : 'I_N) : R := squared (row i Y).

Lemma share_ge0 Y i : 0 <= share Y i.
Proof. exact: squared_ge0. Qed.

Lemma shareE Y i : share Y i = (Y *m Y^T) i i.
Proof. by rewrite mxE; apply: eq_bigr => c _; rewrite !mxE. Qed.

Lemma sum_share Y : orthonormal Y -> \sum_i share Y i = k%:R.
Proof.
move=> orth; rewrite -[k%:R]mxtrace1 -orth mxtrace_mulC.
by apply: eq_bigr => i _; rewrite shareE.
Qed.

(* Y Y^T is a projection P: P i i is the sum of the squares of row i, and so not below (P i i)^2. *)
Lemma share_le1 Y i : orthonormal Y -> share Y i <= 1.
Proof.
move=> orth; rewrite shareE; set P := Y *m Y^T.
have PP : P *m P = P by rewrite /P mulmxA -(mulmxA Y) orth mulmx1.
have P_sym j : P j i = P i j by rewrite -[in LHS](trmxK P) mxE trmx_mul trmxK.
have : P i i ^+ 2 <= P i i.
  have Pii : P i i = \sum_j P i j * P j i by rewrite -{1}PP mxE.
  rewrite [X in _ <= X]Pii (bigD1 i) //= expr2 ler_addl.
  by apply: sumr_ge0 => j _; rewrite P_sym -expr2 sqr_ge0.
rewrite leNgt => /negP not_less; rewrite leNgt; apply/negP => gt1; apply: not_less.
by rewrite expr2 ltr_pmulr // (lt_trans ltr01).
Qed.

Lemma diagonal_energy (values : 'rV[R]_N) Y :
  \tr (Y^T *m diag_mx values *m Y) = \sum_i values 0 i * share Y i.
Proof.
rewrite trace_pairs; apply: eq_bigr => i _; rewrite (bigD1 i) //= big1 => [|j].
  by rewrite addr0 mxE eqxx.
by move/negPf; rewrite mxE eq_sym => ->; rewrite mul0r.
Qed.

End Shares.

Section Optimality.

Variables (R : realFieldType) (N k : nat) (L U : 'M[R]_N) (values : 'rV[R]_N) (le_kN : (k <= N)%N).
Hypothesis eigen : ascending_eigenbasis L U values.

Local Notation low := (lowest le_kN U).

Lemma basisC : U *m U^T = 1%:M.
Proof. by case: eigen => orth _ _; apply: mulmx1C. Qed.

(* In the coordinates of the basis the energy is a weighted mean of eigenvalues. *)
Lemma energy_shares (X : 'M[R]_(N, k)) : \tr (X^T *m L *m X) = \sum_i values 0 i * share (U^T *m X) i.
Proof.
have -> : L = U *m diag_mx values *m U^T by case: eigen => _ <- _; rewrite -mulmxA basisC mulmx1.
by rewrite -diagonal_energy trmx_mul trmxK !mulmxA.
Qed.

Lemma coordinates_orthonormal (X : 'M[R]_(N, k)) : orthonormal X -> orthonormal (U^T *m X).
Proof. by rewrite /orthonormal trmx_mul trmxK mulmxA -(mulmxA X^T) basisC mulmx1. Qed.

Lemma low_coordinates : U^T *m low = \matrix_(i, c) (i == widen_ord le_kN c)%:R.
Proof.
case: eigen => orth _ _; apply/matrixP=> i c; rewrite !mxE.
have /matrixP/(_ i (widen_ord le_kN c)) := orth; rewrite !mxE => <-.
by apply: eq_bigr => j _; rewrite !mxE.
Qed.

Theorem lowest_orthonormal : orthonormal low.
Proof.
case: eigen => orth _ _; apply/matrixP=> b c; rewrite !mxE.
have /matrixP/(_ (widen_ord le_kN b) (widen_ord le_kN c)) := orth; rewrite !mxE => eq_bc.
have <- : (widen_ord le_kN b == widen_ord le_kN c) = (b == c) by [].
by rewrite -eq_bc; apply: eq_bigr => j _; rewrite !mxE.
Qed.

Lemma low_share i : share (U^T *m low) i = (i < k)%N%:R.
Proof.
rewrite low_coordinates /share /squared /dot; under eq_bigr do rewrite !mxE -natrM mulnb andbb.
have [lt_ik | le_ki] := ltnP i k; last first.
  by rewrite big1 // => c _; case: eqP => // eq_ic; move: le_ki; rewrite eq_ic leqNgt /= ltn_ord.
rewrite (bigD1 (Ordinal lt_ik)) //= big1 => [|c]; first by rewrite -val_eqE /= eqxx addr0.
by rewrite -!val_eqE /= eq_sym => /negPf ->.
Qed.

(* A number between the k lowest eigenvalues and the others. *)
Lemma pivot : exists v, (forall i : 'I_N, (i < k)%N -> values 0 i <= v) /\
                        (forall i : 'I_N, (k <= i)%N -> v <= values 0 i).
Proof.
case: eigen => _ _ ascending; have [lt_kN | le_Nk] := ltnP k N.
  by exists (values 0 (Ordinal lt_kN)); split=> i le_i; apply: ascending; rewrite ?(ltnW le_i).
have [N0 | N_gt0] := posnP N; first by exists 0; split=> i; have := ltn_ord i; rewrite {2}N0.
have lt_N : (N.-1 < N)%N by rewrite prednK.
exists (values 0 (Ordinal lt_N)); split=> i le_i; apply: ascending => /=; first by rewrite -ltnS prednK.
by have := leq_trans le_Nk le_i; rewrite leqNgt ltn_ord.
Qed.

(* No orthonormal X has less energy than the k lowest eigenvectors. *)
Theorem lowest_minimise (X : 'M[R]_(N, k)) :
  orthonormal X -> \tr (low^T *m L *m low) <= \tr (X^T *m L *m X).
Proof.
move=> orth; rewrite !energy_shares -subr_ge0 -sumrB.
set p := share (U^T *m X); have orthY := coordinates_orthonormal orth.
have sum0 : \sum_i (p i - (i < k)%N%:R) = 0.
  rewrite sumrB (sum_share orthY) -(sum_share (coordinates_orthonormal lowest_orthonormal)).
  by under eq_bigr do rewrite low_share; rewrite subrr.
have [v [below above]] := pivot.
have -> : \sum_i (values 0 i * p i - values 0 i * share (U^T *m low) i) =
          \sum_i (values 0 i - v) * (p i - (i < k)%N%:R).
  rewrite -[LHS]subr0 -[X in _ - X](mulr0 v) -[X in v * X]sum0 mulr_sumr -sumrB.
  by apply: eq_bigr => i _; rewrite low_share -mulrBr -mulrBl.
apply: sumr_ge0 => i _; have [lt_ik | le_ki] := ltnP i k.
  by rewrite mulr_le0 ?subr_le0 ?below ?share_le1.
by rewrite subr0 mulr_ge0 ?share_ge0 ?subr_ge0 ?above.
Qed.

End Optimality.

(* Proposition 1 to its end: among all orthonormal X, the lowest eigenvectors of the supra-Laplacian change
   least along edges and time. *)

Section Paper.

Variables (R : realFieldType) (T n k : nat) (w : nat -> nat -> nat -> R) (mu : R).
Hypothesis w_sym : forall t u v, w t u v = w t v u.
Local Notation rows := (supra_rows T n w false false).

Definition objective (X : 'M[R]_(size rows, k)) : R :=
    \sum_(0 <= t < T) \tr ((X_layer X t)^T *m L_layer n w t *m X_layer X t)
  + mu * (\sum_(1 <= t < T) frobenius (X_layer X t - X_layer X t.-1)).

Theorem proposition1_minimised (U : 'M[R]_(size rows)) values (le_k : (k <= size rows)%N) X :
  ascending_eigenbasis (L_supra T n w mu false false) U values ->
  orthonormal X -> objective (lowest le_k U) <= objective X.
Proof.
move=> eigen orth; rewrite /objective -!proposition1 //.
exact: (lowest_minimise _ eigen).
Qed.

End Paper.
