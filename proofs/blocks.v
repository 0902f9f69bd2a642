(* The supra-Laplacian as the paper writes it out, block by block.

       [ L_1 + mu I     -mu I                               ]
       [  -mu I      L_2 + 2 mu I    -mu I                  ]
       [                 ...          ...          -mu I    ]
       [                             -mu I     L_T + mu I   ]

   Here it is derived from L = D - A; `supra_graph.v` does not know of it. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum zmodp matrix.
From Supra Require Import laplacian supra_graph.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

Section Blocks.

Variables (R : comRingType) (T n : nat) (w : nat -> nat -> nat -> R) (mu : R).

Local Notation rows := (supra_rows T n w false false).
Local Notation A := (supra_adjacency n w mu).

(* How many layers are next to layer t: two, or one for the first and the last, or none if it is alone. *)
Definition num_beside (t : nat) : nat := (0 < t) + (t.+1 < T).

Lemma sum_at (c : nat) (a : R) m :
  \sum_(0 <= s < m) (if s == c then a else 0) = if (c < m)%N then a else 0.
Proof.
elim: m => [|m IHm]; first by rewrite big_geq.
rewrite big_nat_recr //= IHm; have [-> | neq] := eqVneq m c; first by rewrite ltnn leqnn add0r.
by rewrite addr0 [(c < m.+1)%N]ltnS [(c <= m)%N]leq_eqVlt [c == m]eq_sym (negPf neq).
Qed.

Lemma sum_into_layer t u s : (u < n)%N ->
  \sum_(0 <= v < n) A (t, u) (s, v) =
  (if s == t then \sum_(0 <= v < n) w t u v else 0)
  + (if (0 < t)%N && (s == t.-1) then mu else 0) + (if s == t.+1 then mu else 0).
Proof.
move=> lt_u; rewrite /supra_adjacency (eq_sym s t); have [-> | neq] := eqVneq t s.
  rewrite [s == s.+1]ltn_eqF // addr0 -[LHS]addr0; congr (_ + _).
    by apply: eq_big_nat => v /andP[_ lt_v]; rewrite /layer_weight lt_u lt_v.
  by case: s => //= s; rewrite gtn_eqF.
have -> : (t == s.+1) || (s == t.+1) = (0 < t)%N && (s == t.-1) || (s == t.+1).
  by case: t neq => //= t _; rewrite eqSS eq_sym.
rewrite add0r; have [next | not_next] := boolP (s == t.+1).
  rewrite orbT (_ : _ && _ = false) ?add0r; last first.
    by apply/negbTE; rewrite negb_and (eqP next) orbC gtn_eqF // ltnS leq_pred.
  by under eq_bigr do rewrite andbT eq_sym; rewrite sum_at lt_u.
rewrite orbF addr0; case: ifP => _; last by rewrite big1 // => v _; rewrite andbF.
by under eq_bigr do rewrite andbT eq_sym; rewrite sum_at lt_u.
Qed.

Lemma degree_supra t u : (t < T)%N -> (u < n)%N ->
  degree A rows (t, u) = degree (w t) (iota 0 n) u + mu *+ num_beside t.
Proof.
move=> lt_t lt_u; rewrite /degree !totalE sum_supra_rows.
rewrite (eq_bigr (fun s => \sum_(0 <= v < n) A (t, u) (s, v))) => [|s _]; last first.
  rewrite big_nat_recr //= /present ltnn addr0; apply: eq_big_nat => v /andP[_ lt_v].
  by rewrite lt_v.
under eq_bigr do rewrite sum_into_layer //.
rewrite !big_split /= !sum_at lt_t -addrA /index_iota subn0; congr (_ + _).
rewrite /num_beside mulrnDr; congr (_ + _); last by case: ltnP.
have [-> | t_gt0] := posnP t; first by rewrite big1.
by rewrite sum_at (leq_ltn_trans (leq_pred t)).
Qed.

Theorem supra_laplacian_blocks t u s v : (t < T)%N -> (u < n)%N -> (v < n)%N ->
  supra_laplacian T n w mu false false (t, u) (s, v) =
  if t == s then laplacian (w t) (iota 0 n) u v + (if u == v then mu *+ num_beside t else 0)
  else if (u == v) && ((t == s.+1) || (s == t.+1)) then - mu
  else 0.
Proof.
move=> lt_t lt_u lt_v; rewrite /supra_laplacian /laplacian xpair_eqE /supra_adjacency.
case: (t =P s) => [_ | _] /=; last by rewrite sub0r; case: ifP => // _; rewrite oppr0.
rewrite /layer_weight lt_u lt_v -addrA [- _ + _]addrC addrA; congr (_ - _).
by case: eqP => _; rewrite ?addr0 // -degree_supra.
Qed.

End Blocks.
