(* Proposition 2: Supra-WL is strictly more powerful than Layer-WL.

   Several temporal graphs are refined together, as by wl_tests. First the two rules of the paper, for any
   injective HASH; then the theorems; then a HASH that numbers what it meets, so that everything computes. *)
From mathcomp Require Import all_ssreflect.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* Definitions. *)

(* Snapshots 0 .. num_snapshots-1 on nodes 0 .. num_nodes-1; edges have labels in E, nodes features in F. *)
Record temporal_graph (E F : Type) := TemporalGraph {
  num_snapshots : nat;
  num_nodes : nat;
  edge : nat -> nat -> nat -> option E;  (* edge t u v: the label of the edge (u, v) in snapshot t, if any *)
  feature : nat -> nat -> F              (* feature t v: of node v in snapshot t *)
}.

(* (g, t, v): node v in snapshot t of graph g. *)
Definition node : Type := nat * nat * nat.
Definition layer (x : node) : nat := x.1.2.

(* What a round reads around a node: a part in which the order matters, and a multiset. A multiset is a list
   that is compared up to the order of its entries. *)
Definition same (O M : eqType) (s s' : O * seq M) : bool := (s.1 == s'.1) && perm_eq s.2 s'.2.

Definition injective_hash (O M C : eqType) (hash : O * seq M -> C) : Prop :=
  forall s s', (hash s == hash s') = same s s'.

Section Rules.

Variables (E F : eqType) (graphs : nat -> temporal_graph E F).

Definition neighbours (x : node) : seq (node * E) :=
  let: (g, t, v) := x in
  pmap (fun u => omap (pair (g, t, u)) (edge (graphs g) t u v)) (iota 0 (num_nodes (graphs g))).

Section Round.

Variables (C : eqType) (colour : node -> C).

(* {{ (C(u, t), e(u, v, t), t) : u next to v in layer t }} *)
Definition entry (y : node * E) : C * E * nat := (colour y.1, y.2, layer y.1).
Definition multiset (x : node) : seq (C * E * nat) := map entry (neighbours x).

(* C(v, t-1) and C(v, t+1); None is the outer constant, where that layer does not exist. *)
Definition earlier (x : node) : option C :=
  let: (g, t, v) := x in if t is s.+1 then Some (colour (g, s, v)) else None.
Definition later (x : node) : option C :=
  let: (g, t, v) := x in if t.+1 < num_snapshots (graphs g) then Some (colour (g, t.+1, v)) else None.

(* What HASH is applied to: Equation 5, and the rule of Appendix C.2. *)
Definition supra_rule (x : node) : (C * option C * option C) * seq (C * E * nat) :=
  ((colour x, earlier x, later x), multiset x).
Definition layer_rule (x : node) : C * seq (C * E * nat) := (colour x, multiset x).

End Round.

Definition initial (x : node) : F := let: (g, t, v) := x in feature (graphs g) t v.

(* The colours after l rounds. *)
Fixpoint supra_wl (C : eqType) (start : F -> C) hash (l : nat) (x : node) : C :=
  if l is l'.+1 then hash (supra_rule (supra_wl start hash l') x) else start (initial x).
Fixpoint layer_wl (C : eqType) (start : F -> C) hash (l : nat) (x : node) : C :=
  if l is l'.+1 then hash (layer_rule (layer_wl start hash l') x) else start (initial x).

(* The nodes of graph g in all its layers. Two graphs are told apart if their multisets of colours differ. *)
Definition nodes_of (g : nat) : seq node :=
  [seq (g, t, v) | t <- iota 0 (num_snapshots (graphs g)), v <- iota 0 (num_nodes (graphs g))].
Definition distinguishes (C : eqType) (colour : node -> C) (g h : nat) : bool :=
  ~~ perm_eq (map colour (nodes_of g)) (map colour (nodes_of h)).

End Rules.

Arguments multiset : simpl never.

(* If b is equal wherever a is, then equal multisets of a have equal multisets of b. *)

Lemma perm_map_finer (X P Q : eqType) (a : X -> P) (b : X -> Q) (s s' : seq X) :
  {in s ++ s' &, forall x y, a x = a y -> b x = b y} ->
  perm_eq (map a s) (map a s') -> perm_eq (map b s) (map b s').
Proof.
case: s => [|x0 s]; first by move=> _ /perm_size /=; case: s'.
set all := (x0 :: s) ++ s' => finer perm_a.
pose f p := b (nth x0 all (index p (map a all))).
have fK : {in all, forall x, b x = f (a x)}.
  move=> x x_in; have lt_i : index (a x) (map a all) < size all by rewrite -(size_map a) index_mem map_f.
  apply: finer => //; first exact: mem_nth.
  by rewrite -(nth_map _ (a x0)) // nth_index // map_f.
have mapb r : {subset r <= all} -> map b r = map f (map a r).
  by move=> sub; rewrite -map_comp; apply/eq_in_map => x /sub /fK.
rewrite !mapb; first exact: perm_map.
  by move=> x x_in; rewrite mem_cat x_in orbT.
by move=> x x_in; rewrite mem_cat x_in.
Qed.

(* Supra-WL's colours determine Layer-WL's. *)

Section Refinement.

Variables (E F : eqType) (graphs : nat -> temporal_graph E F) (C D : eqType).
Variables (start : F -> C) (start' : F -> D).
Variables (hash : (C * option C * option C) * seq (C * E * nat) -> C).
Variables (hash' : D * seq (D * E * nat) -> D).
Hypotheses (start_inj : injective start) (hash_inj : injective_hash hash) (hash'_inj : injective_hash hash').

Local Notation supra := (supra_wl graphs start hash).
Local Notation layer_ := (layer_wl graphs start' hash').

(* Nodes, of one graph or of two, that Supra-WL gives one colour have one colour by Layer-WL. *)
Theorem supra_refines_layer l x y : supra l x = supra l y -> layer_ l x = layer_ l y.
Proof.
elim: l x y => [|l IHl] x y /=; first by move/start_inj ->.
move/eqP; rewrite hash_inj => /andP[/eqP[own _ _] nbrs].
apply/eqP; rewrite hash'_inj /same /= (IHl _ _ own) eqxx /=.
apply: perm_map_finer nbrs => -[u d] [v e] _ _ [uv -> same_layer].
by rewrite /entry /= (IHl _ _ uv) same_layer.
Qed.

(* If Layer-WL tells two temporal graphs apart, then so does Supra-WL, in the same round. *)
Theorem layer_distinguishes_supra l g h :
  distinguishes graphs (layer_ l) g h -> distinguishes graphs (supra l) g h.
Proof. by apply: contra; apply: perm_map_finer => x y _ _; apply: supra_refines_layer. Qed.

End Refinement.

(* A HASH that computes: it gives each signature the place of the first one that is the same. *)

Definition number (S : Type) (alike : rel S) (signatures : seq S) : seq nat :=
  [seq find (alike s) signatures | s <- signatures].

Section Numbered.

Variables (E F : eqType) (graphs : nat -> temporal_graph E F) (m : nat).

(* All nodes of the graphs 0 .. m-1, and the colour a table of colours has for one of them. *)
Definition all_nodes : seq node := flatten [seq nodes_of graphs g | g <- iota 0 m].
Definition look_up (table : seq nat) (x : node) : nat := nth 0 table (index x all_nodes).

(* The colours of all nodes after l rounds, as numbers. *)
Fixpoint supra_numbers (l : nat) : seq nat :=
  if l is l'.+1 then number (@same _ _) (map (supra_rule graphs (look_up (supra_numbers l'))) all_nodes)
  else number eq_op (map (initial graphs) all_nodes).
Fixpoint layer_numbers (l : nat) : seq nat :=
  if l is l'.+1 then number (@same _ _) (map (layer_rule graphs (look_up (layer_numbers l'))) all_nodes)
  else number eq_op (map (initial graphs) all_nodes).

End Numbered.

(* These numbers are equal where the colours are, for every injective HASH. *)

Section Link.

Variables (E F : eqType) (graphs : nat -> temporal_graph E F) (m : nat).
Local Notation nodes := (all_nodes graphs m).

Lemma mem_nodes g t v :
  ((g, t, v) \in nodes) = [&& g < m, t < num_snapshots (graphs g) & v < num_nodes (graphs g)].
Proof.
apply/flatten_mapP/and3P => [[h] | [lt_g lt_t lt_v]].
  rewrite mem_iota => /= lt_h /allpairsP[[s w]]; rewrite !mem_iota /= => -[lt_s lt_w [-> -> ->]].
  by split.
by exists g; rewrite ?mem_iota //; apply/allpairsP; exists (t, v); rewrite !mem_iota.
Qed.

Lemma number_same (S : Type) (alike : rel S) (f : node -> S) :
  equivalence_rel alike ->
  {in nodes &, forall x y,
    (look_up graphs m (number alike (map f nodes)) x == look_up graphs m (number alike (map f nodes)) y) =
    alike (f x) (f y)}.
Proof.
move=> alike_eq x y x_in y_in; rewrite /look_up /number -map_comp.
rewrite !(nth_map x) ?index_mem // !nth_index //=.
rewrite !find_map; have refl p : alike p p := (alike_eq p p p).1.
have trans p q r : alike p q -> alike p r = alike q r := (alike_eq p q r).2.
have first z : z \in nodes -> alike (f z) (f (nth x nodes (find (preim f (alike (f z))) nodes))).
  by move=> z_in; apply: (@nth_find _ x (preim f (alike (f z)))); apply/hasP; exists z => /=.
apply/eqP/idP => [eq_xy | /trans xy]; last by apply: eq_find => z /=.
by rewrite (trans _ _ _ (first x x_in)) eq_xy -(trans _ _ _ (first y y_in)).
Qed.

Lemma same_equivalence (O M : eqType) : equivalence_rel (@same O M).
Proof.
rewrite /same => s1 s2 s3; rewrite eqxx perm_refl; split=> // /andP[/eqP -> /permPl perm12].
by rewrite perm12.
Qed.

Lemma eq_equivalence (S : eqType) : equivalence_rel (@eq_op S).
Proof. by move=> x y z; split=> [|/eqP ->]. Qed.

(* Two colourings with the same classes. *)
Definition agree (C D : eqType) (c : node -> C) (d : node -> D) : Prop :=
  {in nodes &, forall x y, (c x == c y) = (d x == d y)}.

Lemma agree_perm (X : eqType) (C D : eqType) (c : X -> C) (d : X -> D) (s s' : seq X) :
  {in s ++ s' &, forall x y, (c x == c y) = (d x == d y)} ->
  perm_eq (map c s) (map c s') = perm_eq (map d s) (map d s').
Proof.
move=> cd; apply/idP/idP; apply: perm_map_finer => x y x_in y_in /eqP.
  by rewrite cd // => /eqP.
by rewrite -cd // => /eqP.
Qed.

Lemma neighbours_in x y : x \in nodes -> y \in neighbours graphs x -> y.1 \in nodes.
Proof.
case: x => [[g t] v]; rewrite mem_nodes => /and3P[lt_g lt_t _]; rewrite mem_pmap => /mapP[u].
rewrite mem_iota => /= lt_u; case: edge => //= e [->] /=.
by rewrite mem_nodes lt_g lt_t.
Qed.

Section Agreement.

Variables (C D : eqType) (c : node -> C) (d : node -> D).
Hypothesis cd : agree c d.

Lemma agree_multiset : {in nodes &, forall x y,
  perm_eq (multiset graphs c x) (multiset graphs c y) = perm_eq (multiset graphs d x) (multiset graphs d y)}.
Proof.
move=> x y x_in y_in; apply: agree_perm => p q p_in q_in; rewrite !xpair_eqE /= cd //.
  by move: p_in; rewrite mem_cat => /orP[]; apply: neighbours_in.
by move: q_in; rewrite mem_cat => /orP[]; apply: neighbours_in.
Qed.

Lemma agree_earlier : {in nodes &, forall x y,
  (earlier c x == earlier c y) = (earlier d x == earlier d y)}.
Proof.
move=> [[g [|t]] v] [[h [|s]] w] //=; rewrite !mem_nodes => /and3P[? /ltnW ? ?] /and3P[? /ltnW ? ?].
by apply: cd; rewrite mem_nodes; apply/and3P.
Qed.

Lemma agree_later : {in nodes &, forall x y,
  (later graphs c x == later graphs c y) = (later graphs d x == later graphs d y)}.
Proof.
move=> [[g t] v] [[h s] w] /=; rewrite !mem_nodes => /and3P[? _ ?] /and3P[? _ ?].
case: ifP => ?; case: ifP => ? //=.
by apply: cd; rewrite mem_nodes; apply/and3P.
Qed.

Lemma agree_supra : {in nodes &, forall x y,
  same (supra_rule graphs c x) (supra_rule graphs c y) =
  same (supra_rule graphs d x) (supra_rule graphs d y)}.
Proof.
move=> x y x_in y_in; rewrite /same /= !xpair_eqE.
by rewrite agree_multiset // cd // agree_earlier // agree_later.
Qed.

Lemma agree_layer : {in nodes &, forall x y,
  same (layer_rule graphs c x) (layer_rule graphs c y) =
  same (layer_rule graphs d x) (layer_rule graphs d y)}.
Proof. by move=> x y x_in y_in; rewrite /same /= agree_multiset // cd. Qed.

End Agreement.

Section AnyHash.

Variables (C : eqType) (start : F -> C).
Hypothesis start_inj : injective start.

Lemma start_agree : agree (look_up graphs m (number eq_op (map (initial graphs) nodes)))
                          (fun x => start (initial graphs x)).
Proof.
move=> x y x_in y_in; rewrite number_same ?(inj_eq start_inj) //; exact: eq_equivalence.
Qed.

Theorem supra_numbers_agree hash l : injective_hash hash ->
  agree (look_up graphs m (supra_numbers graphs m l)) (supra_wl graphs start hash l).
Proof.
move=> hash_inj; elim: l => [|l IHl] x y x_in y_in /=; first exact: start_agree.
by rewrite number_same ?hash_inj //; [apply: agree_supra|apply: same_equivalence].
Qed.

Theorem layer_numbers_agree hash l : injective_hash hash ->
  agree (look_up graphs m (layer_numbers graphs m l)) (layer_wl graphs start hash l).
Proof.
move=> hash_inj; elim: l => [|l IHl] x y x_in y_in /=; first exact: start_agree.
by rewrite number_same ?hash_inj //; [apply: agree_layer|apply: same_equivalence].
Qed.

End AnyHash.

Lemma agree_distinguishes (C D : eqType) (c : node -> C) (d : node -> D) g h :
  agree c d -> g < m -> h < m -> distinguishes graphs c g h = distinguishes graphs d g h.
Proof.
move=> cd lt_g lt_h; congr (~~ _); apply: agree_perm => x y; rewrite !mem_cat => x_in y_in.
by apply: cd; apply/flatten_mapP; [case/orP: x_in|case/orP: y_in] => in_;
  [exists g|exists h|exists g|exists h]; rewrite ?mem_iota.
Qed.

End Link.

(* There is an injective HASH, so the theorems above speak of something: sort the multiset, then use that
   pairs and lists of numbers can be numbered. *)

Definition code (O M : countType) (s : O * seq M) : nat := pickle (s.1, sort leq (map pickle s.2)).

Theorem code_injective (O M : countType) : injective_hash (@code O M).
Proof.
move=> s s'; rewrite (inj_eq (pcan_inj pickleK)) xpair_eqE; congr (_ && _).
rewrite (sameP eqP (perm_sortP leq_total leq_trans anti_leq _ _)).
by apply/idP/idP; [apply: perm_map_inj; apply: pcan_inj pickleK|apply: perm_map].
Qed.

(* A pair that Supra-WL tells apart and Layer-WL does not: three nodes, two snapshots, one edge in each;
   the same edge twice, or two edges that share a node. *)

(* The graph with the given temporal edges (u, v, t, label), each listed once, and features by (t, v). *)
Definition listed (E F : Type) T n (edges : seq (nat * nat * nat * E)) (feature : nat -> nat -> F) :=
  TemporalGraph T n
    (fun t u v => ohead (pmap (fun '(p, q, s, e) =>
       if (s == t) && (((p == u) && (q == v)) || ((p == v) && (q == u))) then Some e else None) edges))
    feature.

Definition moved_edge (g : nat) : temporal_graph unit unit :=
  if g is 0 then listed 2 3 [:: (0, 1, 0, tt); (0, 1, 1, tt)] (fun _ _ => tt)
  else listed 2 3 [:: (0, 1, 0, tt); (0, 2, 1, tt)] (fun _ _ => tt).

(* If a round changes nothing, then no later round does. *)
Lemma layer_stable (E F : eqType) (graphs : nat -> temporal_graph E F) m l j :
  layer_numbers graphs m l.+1 = layer_numbers graphs m l ->
  layer_numbers graphs m (j + l) = layer_numbers graphs m l.
Proof. by move=> stable; elim: j => //= j ->. Qed.

Lemma layer_blind_numbers l :
  ~~ distinguishes moved_edge (look_up moved_edge 2 (layer_numbers moved_edge 2 l)) 0 1.
Proof.
case: l => [|l]; first by vm_compute.
by have := @layer_stable _ _ moved_edge 2 1 l; rewrite addn1 => ->; vm_compute.
Qed.

Lemma supra_sees_numbers :
  distinguishes moved_edge (look_up moved_edge 2 (supra_numbers moved_edge 2 2)) 0 1.
Proof. by vm_compute. Qed.

Theorem supra_is_strictly_finer (C D : eqType) (start : unit -> C) (start' : unit -> D) hash hash' :
  injective start -> injective start' -> injective_hash hash -> injective_hash hash' ->
  distinguishes moved_edge (supra_wl moved_edge start hash 2) 0 1 /\
  forall l, ~~ distinguishes moved_edge (layer_wl moved_edge start' hash' l) 0 1.
Proof.
move=> start_inj start'_inj hash_inj hash'_inj; split=> [|l].
  have agree_supra := supra_numbers_agree (graphs := moved_edge) (m := 2) start_inj 2 hash_inj.
  by rewrite -(agree_distinguishes agree_supra (g := 0) (h := 1) isT isT) supra_sees_numbers.
have agree_layer := layer_numbers_agree (graphs := moved_edge) (m := 2) start'_inj l hash'_inj.
by rewrite -(agree_distinguishes agree_layer (g := 0) (h := 1) isT isT) layer_blind_numbers.
Qed.
