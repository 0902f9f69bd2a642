(* The definitions of both propositions put to work on integers, for comparison with the Python packages. *)
From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect ssralg ssrint.
From Supra Require Import laplacian supra_graph smoothness proposition2.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* From the integers of Mathematical Components to those that Coq prints as -3. *)
Definition printed (i : int) : Z :=
  match i with Posz k => Z.of_nat k | Negz k => Z.opp (Z.of_nat k.+1) end.

(* Of the supra-graph of some edges: its rows, its Laplacian, and both sides of Proposition 1 for the vector
   xs, which has one entry for each row. *)
Definition supra_values (T n : nat) (edges : seq (supra_graph.edge int)) (mu : int) (global drop : bool)
    (xs : seq int) : seq supra_node * seq (seq Z) * seq Z :=
  let w := weight edges in
  let rows := supra_rows T n w global drop in
  let L := supra_laplacian T n w mu global drop in
  let x a := nth (Posz 0) xs (index a rows) in
  (rows,
   [seq [seq printed (L a b) | b <- rows] | a <- rows],
   map printed [:: energy_of T n w mu global drop x; intra T n w global x; inter T n w mu global drop x]).

(* Of temporal graphs refined together, for the rounds 0 .. rounds: the colours of all nodes, and whether the
   first two graphs are told apart; by Supra-WL, then by Layer-WL. *)
Definition colour_values (graphs : seq (temporal_graph nat nat)) (rounds : nat) :=
  let G := nth (listed 0 0 [::] (fun _ _ => 0)) graphs in
  let m := size graphs in
  let values numbers :=
    [seq (numbers l, distinguishes G (look_up G m (numbers l)) 0 1) | l <- iota 0 rounds.+1] in
  (values (supra_numbers G m), values (layer_numbers G m)).

(* The graph with these edges (u, v, t, label), and the features of snapshot after snapshot. *)
Definition labelled (T n : nat) (edges : seq (nat * nat * nat * nat)) (features : seq (seq nat)) :=
  listed T n edges (fun t v => nth 0 (nth [::] features t) v).
