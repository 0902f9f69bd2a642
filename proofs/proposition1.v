(* Proposition 1: the energy of the supra-Laplacian is change along edges plus change along time. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum zmodp matrix.
From Supra Require Import laplacian supra_graph.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Identity.

Variables (R : comRingType) (T n k : nat).
Variables (w : nat -> nat -> nat -> R) (mu : R) (global drop : bool).
Hypothesis w_sym : forall t u v, w t u v = w t v u.

Local Notation present := (present n w global drop).
Local Notation active := (active n w).
Local Notation rows := (supra_rows T n w global drop).
Local Notation A := (supra_adjacency n w mu).

Variable X : 'M[R]_(size rows, k).
Local Notation x t v := (row_of X (t, v)).

(* What the pair of supra-nodes (t, u) and (s, v), in this order, adds to the energy. *)
Let pair t u s v : R :=
  if present (t, u) && present (s, v) then A (t, u) (s, v) * dot (x t u) (x t u - x s v) else 0.

(* ... and what the layers t and s add. *)
Let layers t s : R := \sum_(0 <= u < n.+1) \sum_(0 <= v < n.+1) pair t u s v.

Lemma energy_layers :
  \tr (X^T *m L_supra T n w mu global drop *m X) = \sum_(0 <= t < T) \sum_(0 <= s < T) layers t s.
Proof.
rewrite energy ?supra_rows_uniq // sum_supra_rows; apply: eq_bigr => t _.
rewrite /layers exchange_big; apply: eq_bigr => u _ /=.
rewrite sum_supra_rows /pair; case: (present (t, u)) => //=.
by rewrite big1 // => s _; rewrite big1.
Qed.

(* A node with an edge has a row, and its layer has a global node if there are global nodes at all. *)

Lemma active_of_weight t u v : (u < n)%N -> w t u v != 0 -> active t v.
Proof. by move=> lt_u w_neq0; apply/hasP; exists u; rewrite ?mem_iota. Qed.

Lemma present_of_active t v : (v < n)%N -> active t v -> present (t, v).
Proof. by move=> lt_v act; rewrite /supra_graph.present lt_v act orbT. Qed.

Lemma present_global t v : (v < n)%N -> active t v -> present (t, n) = global.
Proof.
move=> lt_v act; rewrite /supra_graph.present ltnn.
have -> : has (active t) (iota 0 n) by apply/hasP; exists v; rewrite ?mem_iota.
by rewrite orbT andbT.
Qed.

(* The pair in both orders. *)
Lemma pair_both_orders t u s v :
  pair t u s v + pair s v t u =
  if present (t, u) && present (s, v) then A (t, u) (s, v) * squared (x t u - x s v) else 0.
Proof.
rewrite /pair [present (s, v) && _]andbC; case: ifP => _; last by rewrite addr0.
by rewrite [A (s, v) _]adjacency_sym // -mulrDr dot_both_orders.
Qed.

(* Change along the edges of one layer, and from its active nodes to its global node. *)
Lemma energy_edges t u v : (u < n)%N -> (v < n)%N ->
  pair t u t v + pair t v t u = w t u v * squared (x t u - x t v).
Proof.
move=> lt_u lt_v; rewrite pair_both_orders /supra_adjacency eqxx /layer_weight lt_u lt_v.
have [-> | w_neq0] := eqVneq (w t u v) 0; first by rewrite mul0r if_same.
rewrite !present_of_active //; first exact: active_of_weight lt_u w_neq0.
by apply: (active_of_weight lt_v); rewrite w_sym.
Qed.

Lemma energy_global t v : (v < n)%N ->
  pair t v t n + pair t n t v = if global && active t v then squared (x t v - x t n) else 0.
Proof.
move=> lt_v; rewrite pair_both_orders /supra_adjacency eqxx /layer_weight lt_v ltnn.
have [act | _] := boolP (active t v); last by rewrite mul0r if_same andbF.
by rewrite (present_of_active lt_v act) (present_global lt_v act) mul1r andbT.
Qed.

Lemma energy_in_layer t :
  layers t t =
  \sum_(0 <= v < n) \sum_(0 <= u < v) w t u v * squared (x t u - x t v) +
  \sum_(0 <= v < n | global && active t v) squared (x t v - x t n).
Proof.
rewrite /layers sum_pairs big1 => [|u _]; last first.
  by rewrite /pair subrr /dot big1 ?mulr0 ?if_same // => c _; rewrite mxE mulr0.
rewrite add0r big_nat_recr //= [X in _ = _ + X]big_mkcond; congr (_ + _).
  apply: eq_big_nat => v /andP[_ lt_v]; apply: eq_big_nat => u /andP[_ lt_u].
  exact: energy_edges (ltn_trans lt_u lt_v) lt_v.
by apply: eq_big_nat => v /andP[_ lt_v]; rewrite energy_global.
Qed.

(* Change between two layers: none unless they are neighbours in time. *)

Lemma energy_far_layers t s : (t.+1 < s)%N -> layers t s + layers s t = 0.
Proof.
move=> lt_ts; have neq : (t == s) = false by apply/negbTE; rewrite neq_ltn ltnW.
have far : (t == s.+1) || (s == t.+1) = false.
  by rewrite [s == _]gtn_eqF // orbF ltn_eqF // ltnS ltnW // ltnW.
rewrite /layers !big1 ?addr0 // => u _; rewrite big1 // => v _; rewrite /pair /supra_adjacency.
  by rewrite eq_sym neq orbC far andbF mul0r if_same.
by rewrite neq far andbF mul0r if_same.
Qed.

Lemma energy_next_layer t :
  layers t t.+1 + layers t.+1 t =
  mu * \sum_(0 <= v < n.+1 | present (t.+1, v) && present (t, v)) squared (x t.+1 v - x t v).
Proof.
rewrite /layers [X in _ + X]exchange_big -big_split mulr_sumr [RHS]big_mkcond.
apply: eq_big_nat => u /andP[_ lt_u]; rewrite -big_split /= (bigD1_seq u) ?mem_index_iota ?iota_uniq //=.
rewrite pair_both_orders /supra_adjacency ltn_eqF // !eqxx orbT /= squared_sym andbC.
rewrite big1 ?addr0 // => v /negPf neq_vu.
by rewrite pair_both_orders /supra_adjacency ltn_eqF // eq_sym neq_vu mul0r if_same.
Qed.

Lemma energy_between_layers s :
  \sum_(0 <= t < s) (layers t s + layers s t) =
  if (0 < s)%N then layers s.-1 s + layers s s.-1 else 0.
Proof.
case: s => [|s]; first by rewrite big_geq.
rewrite big_nat_recr //= big1_seq ?add0r // => t /andP[_]; rewrite mem_index_iota => /andP[_ lt_ts].
exact: energy_far_layers.
Qed.

(* Proposition 1 in the general form: with global nodes or without, with nodes dropped or not. *)
Theorem proposition1_general :
  \tr (X^T *m L_supra T n w mu global drop *m X) =
    \sum_(0 <= t < T) \sum_(0 <= v < n) \sum_(0 <= u < v) w t u v * squared (x t u - x t v)
  + \sum_(0 <= t < T) \sum_(0 <= v < n | global && active t v) squared (x t v - x t n)
  + mu * (\sum_(1 <= t < T) \sum_(0 <= v < n | present (t, v) && present (t.-1, v))
            squared (x t v - x t.-1 v))
  + mu * (\sum_(1 <= t < T | present (t, n) && present (t.-1, n)) squared (x t n - x t.-1 n)).
Proof.
rewrite energy_layers sum_pairs -addrA; congr (_ + _).
  by rewrite -big_split; apply: eq_bigr => t _; rewrite energy_in_layer.
rewrite -mulrDr [X in _ = mu * (_ + X)]big_mkcond -big_split mulr_sumr /=.
under eq_bigr do rewrite energy_between_layers.
rewrite sum_positive; apply: eq_big_nat => -[|t] //= _.
by rewrite energy_next_layer big_mkcond big_nat_recr //= -big_mkcond.
Qed.

End Identity.

(* Proposition 1 as in the paper: every node has a row in every layer, and there are no global nodes. *)

Section Paper.

Variables (R : comRingType) (T n k : nat) (w : nat -> nat -> nat -> R) (mu : R).
Hypothesis w_sym : forall t u v, w t u v = w t v u.

Local Notation rows := (supra_rows T n w false false).
Variable X : 'M[R]_(size rows, k).

(* The Laplacian of snapshot t, the rows of X that belong to layer t, and the squared Frobenius norm. *)
Definition L_layer (t : nat) : 'M[R]_n := matrix_laplacian (\matrix_(u, v) w t u v).
Definition X_layer (t : nat) : 'M[R]_(n, k) := \matrix_(v, c) row_of X (t, val v) 0 c.
Definition frobenius (Y : 'M[R]_(n, k)) : R := \sum_v squared (row v Y).

Lemma row_X_layer t v : row v (X_layer t) = row_of X (t, val v).
Proof. by apply/rowP => c; rewrite !mxE. Qed.

Lemma layer_energy t :
  \tr ((X_layer t)^T *m L_layer t *m X_layer t) =
  \sum_(0 <= v < n) \sum_(0 <= u < v) w t u v * squared (row_of X (t, u) - row_of X (t, v)).
Proof.
pose F u v := w t u v * dot (row_of X (t, u)) (row_of X (t, u) - row_of X (t, v)).
rewrite matrix_energy (eq_bigr (fun u : 'I_n => \sum_(0 <= v < n) F u v)); last first.
  by move=> u _; rewrite big_mkord; apply: eq_bigr => v _; rewrite mxE !row_X_layer.
rewrite -(big_mkord predT (fun u => \sum_(0 <= v < n) F u v)) sum_pairs big1 => [|u _]; last first.
  by rewrite /F subrr /dot big1 ?mulr0 // => c _; rewrite mxE mulr0.
rewrite add0r; apply: eq_bigr => v _; apply: eq_bigr => u _.
by rewrite /F (w_sym t v) -mulrDr dot_both_orders.
Qed.

Theorem proposition1 :
  \tr (X^T *m L_supra T n w mu false false *m X) =
    \sum_(0 <= t < T) \tr ((X_layer t)^T *m L_layer t *m X_layer t)
  + mu * (\sum_(1 <= t < T) frobenius (X_layer t - X_layer t.-1)).
Proof.
rewrite proposition1_general //; under [in RHS]eq_bigr do rewrite layer_energy.
rewrite [X in _ + X + _ + _]big1 ?addr0 => [|t _]; last by rewrite big_pred0.
rewrite [X in _ + mu * X]big_pred0 => [|t]; last by rewrite /present ltnn.
rewrite mulr0 addr0; congr (_ + mu * _); apply: eq_bigr => t _.
rewrite big_nat_cond (eq_bigl (fun v => (0 <= v < n)%N)) => [|v]; last first.
  by rewrite /present; case: (ltnP v n); rewrite ?andbF.
rewrite -big_nat big_mkord; apply: eq_bigr => v _.
by congr squared; rewrite linearB /= !row_X_layer.
Qed.

End Paper.

(* With weights and a coupling that are not negative, the supra-Laplacian is positive semi-definite. *)

Lemma squared_ge0 (R : realDomainType) k (x : 'rV[R]_k) : 0 <= squared x.
Proof. by apply: Num.Theory.sumr_ge0 => c _; rewrite -expr2 Num.Theory.sqr_ge0. Qed.

Theorem supra_laplacian_psd (R : realDomainType) (T n k : nat) w (mu : R) global drop
    (X : 'M[R]_(size (supra_rows T n w global drop), k)) :
  (forall t u v, w t u v = w t v u) -> (forall t u v, 0 <= w t u v) -> 0 <= mu ->
  0 <= \tr (X^T *m L_supra T n w mu global drop *m X).
Proof.
move=> w_sym w_ge0 mu_ge0; rewrite proposition1_general //.
have sum_ge0 := Num.Theory.sumr_ge0; have sq_ge0 := squared_ge0.
rewrite !Num.Theory.addr_ge0 ?Num.Theory.mulr_ge0 ?sum_ge0 // => t _; rewrite sum_ge0 // => v _.
by rewrite sum_ge0 // => u _; rewrite Num.Theory.mulr_ge0.
Qed.

(* The constant vectors are in its kernel, whatever the weights. *)
Theorem supra_laplacian_constant (R : comRingType) (T n : nat) w (mu c : R) global drop :
  L_supra T n w mu global drop *m (const_mx c : 'cV_(size (supra_rows T n w global drop))) = 0.
Proof. by rewrite /L_supra matrix_of_laplacian ?supra_rows_uniq // matrix_laplacian_constant. Qed.
