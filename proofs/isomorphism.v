(* Neither test ever tells apart two temporal graphs that differ in nothing but the names of their nodes. *)
From mathcomp Require Import all_ssreflect.
From Supra Require Import proposition2.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* The new names are a permutation of 0 .. n-1, the same in all layers; edges, labels and features agree. *)
Record isomorphic (E F : Type) (G H : temporal_graph E F) (rename : nat -> nat) : Prop := Isomorphic {
  iso_snapshots : num_snapshots H = num_snapshots G;
  iso_nodes : perm_eq (map rename (iota 0 (num_nodes G))) (iota 0 (num_nodes H));
  iso_edge : forall t u v, u < num_nodes G -> v < num_nodes G ->
    edge H t (rename u) (rename v) = edge G t u v;
  iso_feature : forall t v, v < num_nodes G -> feature H t (rename v) = feature G t v
}.

Section Isomorphism.

Variables (E F : eqType) (graphs : nat -> temporal_graph E F) (g h : nat) (rename : nat -> nat).
Hypothesis iso : isomorphic (graphs g) (graphs h) rename.

Local Notation n := (num_nodes (graphs g)).

(* A colouring that gives a node and its image one colour. *)
Definition preserved (C : eqType) (colour : node -> C) : Prop :=
  forall t v, v < n -> colour (h, t, rename v) = colour (g, t, v).

Section Round.

Variables (C : eqType) (colour : node -> C).
Hypothesis kept : preserved colour.

Lemma iso_entries t v (s : seq nat) : v < n -> all (fun u => u < n) s ->
  map (entry colour) (pmap (fun u => omap (pair (h, t, u)) (edge (graphs h) t u (rename v))) (map rename s)) =
  map (entry colour) (pmap (fun u => omap (pair (g, t, u)) (edge (graphs g) t u v)) s).
Proof.
move=> lt_v; elim: s => //= u s IHs /andP[lt_u /IHs {}IHs]; rewrite (iso_edge iso) //.
by case: (edge _ t u v) => [e|] //=; rewrite IHs {1}/entry /= kept.
Qed.

Lemma iso_multiset t v : v < n ->
  perm_eq (multiset graphs colour (h, t, rename v)) (multiset graphs colour (g, t, v)).
Proof.
move=> lt_v; rewrite /multiset -(@iso_entries t v (iota 0 n)) //; last first.
  by apply/allP => u; rewrite mem_iota.
by apply/perm_map/perm_pmap; rewrite perm_sym (iso_nodes iso).
Qed.

Lemma iso_supra_rule t v : v < n ->
  same (supra_rule graphs colour (h, t, rename v)) (supra_rule graphs colour (g, t, v)).
Proof.
move=> lt_v; rewrite /same /= iso_multiset // andbT !xpair_eqE kept // eqxx /= (iso_snapshots iso).
by case: t => [|t]; case: ifP => _; rewrite ?kept ?eqxx.
Qed.

Lemma iso_layer_rule t v : v < n ->
  same (layer_rule graphs colour (h, t, rename v)) (layer_rule graphs colour (g, t, v)).
Proof. by move=> lt_v; rewrite /same /= iso_multiset // kept // eqxx. Qed.

(* Equal colours of images, and so equal multisets of colours. *)
Lemma iso_not_distinguished : ~~ distinguishes graphs colour g h.
Proof.
rewrite negbK /nodes_of (iso_snapshots iso) !map_allpairs.
elim: (iota 0 (num_snapshots _)) => //= t ts IHts; apply: perm_cat IHts.
have := perm_map (fun v => colour (h, t, v)) (iso_nodes iso); rewrite -map_comp; congr perm_eq.
by apply/eq_in_map => v; rewrite mem_iota => lt_v; rewrite /= kept.
Qed.

End Round.

Variables (C : eqType) (start : F -> C).

Theorem supra_respects_isomorphism hash l : injective_hash hash ->
  ~~ distinguishes graphs (supra_wl graphs start hash l) g h.
Proof.
move=> hash_inj; apply: iso_not_distinguished; elim: l => [|l IHl] t v lt_v /=.
  by rewrite (iso_feature iso).
by apply/eqP; rewrite hash_inj iso_supra_rule.
Qed.

Theorem layer_respects_isomorphism hash l : injective_hash hash ->
  ~~ distinguishes graphs (layer_wl graphs start hash l) g h.
Proof.
move=> hash_inj; apply: iso_not_distinguished; elim: l => [|l IHl] t v lt_v /=.
  by rewrite (iso_feature iso).
by apply/eqP; rewrite hash_inj iso_layer_rule.
Qed.

End Isomorphism.
