(* The supra-graph: all snapshots as one graph, each node joined to itself in the next layer.

   These are the definitions that Proposition 1 speaks of. They compute, and a test compares them with
   supra_core.supra_graph entry by entry. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum zmodp matrix.
From Supra Require Import laplacian.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.

(* A temporal edge: its two ends, its snapshot, its weight; each edge is listed once. *)
Definition edge (R : Type) : Type := nat * nat * nat * R.

(* The weight between u and v in snapshot t: all edges of that snapshot that join the two, added up. *)
Definition weight (R : ringType) (edges : seq (edge R)) (t u v : nat) : R :=
  total edges (fun '(p, q, s, x) =>
    if (s == t) && (((p == u) && (q == v)) || ((p == v) && (q == u))) then x else 0).

Section SupraGraph.

Variable R : comRingType.
Variables (T n : nat).                 (* snapshots 0 .. T-1, nodes 0 .. n-1 *)
Variable w : nat -> nat -> nat -> R.   (* w t u v: the weight between u and v in snapshot t, 0 for no edge *)
Variable mu : R.                       (* the coupling *)
Variables (global drop : bool).        (* global_nodes and drop_isolated of supra_core.supra_graph *)

(* A supra-node is a pair (t, v): node v in layer t. The number n stands for the layer's global node. *)
Definition supra_node : Type := nat * nat.

(* Whether v has an edge in snapshot t. *)
Definition active (t v : nat) : bool := has (fun u => w t u v != 0) (iota 0 n).

(* Which supra-nodes have a row. A layer that lost all its nodes has no global node either. *)
Definition present (a : supra_node) : bool :=
  let: (t, v) := a in
  if (v < n)%N then ~~ drop || active t v
  else global && (~~ drop || has (active t) (iota 0 n)).

(* Rows run layer by layer, a layer's global node last. *)
Definition supra_rows : seq supra_node :=
  [seq a <- [seq (t, v) | t <- iota 0 T, v <- iota 0 n.+1] | present a].

(* Inside a layer: the snapshot's weights; the global node is joined (weight 1) to all active nodes. *)
Definition layer_weight (t u v : nat) : R :=
  if (u < n)%N then
    if (v < n)%N then w t u v else if active t u then 1 else 0
  else
    if (v < n)%N then (if active t v then 1 else 0) else 0.

(* Between layers: the coupling, from a supra-node to itself in the layer before and the layer after. *)
Definition supra_adjacency (a b : supra_node) : R :=
  let: (t, u) := a in
  let: (s, v) := b in
  if t == s then layer_weight t u v
  else if (u == v) && ((t == s.+1) || (s == t.+1)) then mu
  else 0.

Definition supra_laplacian : supra_node -> supra_node -> R := laplacian supra_adjacency supra_rows.

(* The matrix of the theorems. *)
Definition L_supra : 'M[R]_(size supra_rows) := matrix_of supra_rows supra_laplacian.

End SupraGraph.

Arguments present : simpl never.
Arguments supra_adjacency : simpl never.

(* What the theorems assume of the weights holds for the weights of every list of edges. *)

Lemma weight_sym (R : ringType) (edges : seq (edge R)) t u v : weight edges t u v = weight edges t v u.
Proof.
by rewrite /weight; elim: edges => //= -[[[p q] s] x] edges ->; rewrite [in RHS]orbC.
Qed.

Lemma weight_ge0 (R : numDomainType) (edges : seq (edge R)) t u v :
  all (fun '(_, _, _, x) => 0 <= x) edges -> 0 <= weight edges t u v.
Proof.
elim: edges => //= -[[[p q] s] x] edges IH /andP[x_ge0 /IH rest_ge0].
by rewrite /weight /= Num.Theory.addr_ge0 //; case: ifP.
Qed.

(* Facts about rows. *)

Section Rows.

Variables (R : comRingType) (T n : nat) (w : nat -> nat -> nat -> R) (mu : R) (global drop : bool).
Local Notation present := (present n w global drop).
Local Notation rows := (supra_rows T n w global drop).

Lemma supra_rows_uniq : uniq rows.
Proof. by rewrite filter_uniq // allpairs_uniq ?iota_uniq // => -[t u] [s v]. Qed.

Lemma sum_supra_rows (F : supra_node -> R) :
  \sum_(a <- rows) F a =
  \sum_(0 <= t < T) \sum_(0 <= v < n.+1) (if present (t, v) then F (t, v) else 0).
Proof. by rewrite big_filter big_mkcond big_allpairs /index_iota !subn0. Qed.

Lemma adjacency_sym : (forall t u v, w t u v = w t v u) ->
  forall a b, supra_adjacency n w mu a b = supra_adjacency n w mu b a.
Proof.
move=> w_sym [t u] [s v]; rewrite /supra_adjacency [s == t]eq_sym [v == u]eq_sym [(s == t.+1) || _]orbC.
by case: (t =P s) => [->|//]; rewrite /layer_weight w_sym; do 2!case: (_ < n)%N.
Qed.

End Rows.
