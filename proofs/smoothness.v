(* Proposition 1 for one channel with nothing but sums over lists: both sides compute.

   `energy_of` is supra_core.trace_energy; `intra` and `inter` are the parts of supra_core.smoothness. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum zmodp matrix.
From Supra Require Import laplacian supra_graph proposition1.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Smoothness.

Variables (R : comRingType) (T n : nat) (w : nat -> nat -> nat -> R) (mu : R) (global drop : bool).
Variable x : supra_node -> R.

Local Notation rows := (supra_rows T n w global drop).
Local Notation present := (present n w global drop).
Local Notation active := (active n w).

Definition change (a b : supra_node) : R := (x a - x b) * (x a - x b).

Definition energy_of : R :=
  total rows (fun a => total rows (fun b => supra_laplacian T n w mu global drop a b * (x a * x b))).

(* Along the edges of each layer, and to its global node. *)
Definition intra : R :=
  total (iota 0 T) (fun t =>
    total (iota 0 n) (fun v => total (iota 0 v) (fun u => w t u v * change (t, u) (t, v))) +
    total (iota 0 n) (fun v => if global && active t v then change (t, v) (t, n) else 0)).

(* From each layer to the one before, over what has a row in both. *)
Definition inter : R :=
  mu * total (iota 1 T.-1) (fun t =>
    total (iota 0 n.+1) (fun v =>
      if present (t, v) && present (t.-1, v) then change (t, v) (t.-1, v) else 0)).

(* The vector as a matrix of one column. *)
Let X : 'M[R]_(size rows, 1) := \matrix_(i, c) x (tnth (in_tuple rows) i).

Lemma mem_rows t v : (t < T)%N -> (v <= n)%N -> ((t, v) \in rows) = present (t, v).
Proof.
move=> lt_t le_v; rewrite mem_filter; have -> : (t, v) \in [seq (t, v) | t <- iota 0 T, v <- iota 0 n.+1].
  by apply/allpairsP; exists (t, v); rewrite !mem_iota.
by rewrite andbT.
Qed.

Lemma row_of_column a : a \in rows -> row_of X a 0 0 = x a.
Proof. by case/seq_tnthP=> i ->; rewrite row_of_node ?supra_rows_uniq // !mxE. Qed.

Lemma change_rows a b : a \in rows -> b \in rows -> squared (row_of X a - row_of X b) = change a b.
Proof. by move=> a_in b_in; rewrite /squared /dot big_ord1 !mxE !row_of_column. Qed.

Lemma energy_of_trace : energy_of = \tr (X^T *m L_supra T n w mu global drop *m X).
Proof.
rewrite trace_pairs /energy_of totalE -[LHS]sum_rows; apply: eq_bigr => i _.
rewrite totalE -[LHS]sum_rows; apply: eq_bigr => j _.
by rewrite /dot big_ord1 !mxE.
Qed.

Hypothesis w_sym : forall t u v, w t u v = w t v u.

(* Term by term: wherever a change counts, both of its ends have a row. *)

Lemma edge_term t u v : (t < T)%N -> (u < n)%N -> (v < n)%N ->
  w t u v * squared (row_of X (t, u) - row_of X (t, v)) = w t u v * change (t, u) (t, v).
Proof.
move=> lt_t lt_u lt_v; have [-> | w_neq0] := eqVneq (w t u v) 0; first by rewrite !mul0r.
have act_v := active_of_weight lt_u w_neq0.
have act_u : active t u by apply: (active_of_weight lt_v); rewrite w_sym.
by rewrite change_rows // mem_rows ?(ltnW lt_v) ?(ltnW lt_u) // present_of_active.
Qed.

Lemma global_term t v : (t < T)%N -> (v < n)%N ->
  (if global && active t v then squared (row_of X (t, v) - row_of X (t, n)) else 0) =
  (if global && active t v then change (t, v) (t, n) else 0).
Proof.
move=> lt_t lt_v; case: ifP => // /andP[glob act].
rewrite change_rows // mem_rows ?(ltnW lt_v) //; first exact: present_of_active.
by rewrite (present_global _ _ lt_v act).
Qed.

Lemma time_term t v : (t < T)%N -> (v <= n)%N ->
  (if present (t, v) && present (t.-1, v) then squared (row_of X (t, v) - row_of X (t.-1, v)) else 0) =
  (if present (t, v) && present (t.-1, v) then change (t, v) (t.-1, v) else 0).
Proof.
move=> lt_t le_v; case: ifP => // /andP[now before].
by rewrite change_rows // mem_rows // (leq_ltn_trans (leq_pred t)).
Qed.

Lemma intraE :
  intra =
    \sum_(0 <= t < T) \sum_(0 <= v < n) \sum_(0 <= u < v)
      w t u v * squared (row_of X (t, u) - row_of X (t, v))
  + \sum_(0 <= t < T) \sum_(0 <= v < n | global && active t v)
      squared (row_of X (t, v) - row_of X (t, n)).
Proof.
rewrite /intra totalE -big_split /index_iota !subn0; apply: eq_big_seq => t; rewrite mem_iota => /= lt_t.
rewrite !totalE [X in _ = _ + X]big_mkcond; congr (_ + _);
  apply: eq_big_seq => v; rewrite mem_iota => /= lt_v.
  rewrite totalE subn0; apply: eq_big_seq => u; rewrite mem_iota => /= lt_u.
  by rewrite edge_term // (ltn_trans lt_u).
by rewrite global_term.
Qed.

Lemma interE :
  inter =
    mu * (\sum_(1 <= t < T) \sum_(0 <= v < n | present (t, v) && present (t.-1, v))
            squared (row_of X (t, v) - row_of X (t.-1, v)))
  + mu * (\sum_(1 <= t < T | present (t, n) && present (t.-1, n))
            squared (row_of X (t, n) - row_of X (t.-1, n))).
Proof.
rewrite /inter totalE -mulrDr [X in _ + X]big_mkcond -big_split /index_iota subn1; congr (mu * _).
apply: eq_big_seq => t; rewrite mem_iota => /andP[t_gt0 le_t].
have {le_t} lt_t : (t < T)%N by case: T t_gt0 le_t => [|T'] //=; case: t.
have split_iota : iota 0 n.+1 = iota 0 n ++ [:: n] by rewrite -addn1 iotaD.
rewrite totalE split_iota big_cat big_seq1 /= subn0 time_term // [X in _ = X + _]big_mkcond; congr (_ + _).
by apply: eq_big_seq => v; rewrite mem_iota => /= lt_v; rewrite time_term // ltnW.
Qed.

Theorem proposition1_numbers : energy_of = intra + inter.
Proof. by rewrite energy_of_trace proposition1_general // intraE interE !addrA. Qed.

End Smoothness.
