(* What each theorem rests on. Coq answers "Closed under the global context": on nothing but its own logic. *)
From Supra Require Import proposition1 blocks smoothness kernel optimality proposition2 isomorphism.

(* Proposition 1 *)
Print Assumptions proposition1.
Print Assumptions proposition1_general.
Print Assumptions proposition1_numbers.
Print Assumptions supra_laplacian_blocks.
Print Assumptions supra_laplacian_psd.
Print Assumptions supra_laplacian_constant.
Print Assumptions kernel_components.
Print Assumptions supra_kernel_components.
Print Assumptions lowest_orthonormal.
Print Assumptions lowest_minimise.
Print Assumptions proposition1_minimised.

(* Proposition 2 *)
Print Assumptions supra_refines_layer.
Print Assumptions layer_distinguishes_supra.
Print Assumptions supra_is_strictly_finer.
Print Assumptions supra_respects_isomorphism.
Print Assumptions layer_respects_isomorphism.
Print Assumptions code_injective.
Print Assumptions supra_numbers_agree.
Print Assumptions layer_numbers_agree.
