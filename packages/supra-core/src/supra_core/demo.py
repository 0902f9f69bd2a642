"""``python -m supra_core.demo``: from a temporal graph to its encodings and a picture of them."""

import argparse
from pathlib import Path

import numpy as np

from supra_core import generators, plot
from supra_core.encoding import Encoder
from supra_core.files import replacing
from supra_core.io import write_edges
from supra_core.proposition1 import Sides, sides_in_integers


def run(output: Path, *, num_nodes: int = 120, num_snapshots: int = 8, seed: int = 0) -> list[Path]:
    """Encode a temporal graph of four communities and write what came out; returns the files."""
    output.mkdir(parents=True, exist_ok=True)
    edges, encodings = output / "edges.csv", output / "encodings.npz"
    picture, paths = output / "encodings.png", output / "sign_consistency.png"
    graph = generators.block_model(
        num_nodes, num_snapshots, num_blocks=4, p_in=0.2, p_out=0.01, persistence=0.97, seed=seed
    )
    write_edges(graph, edges)
    # Chosen for the picture: at the default coupling of 1 the first channels of this graph show time alone.
    encoder = Encoder.paper(k=3, window=num_snapshots, coupling=25.0, global_nodes=False)
    encoding = encoder.encode(graph, num_snapshots - 1)
    with replacing(encodings) as temporary:
        np.savez(temporary, layers=encoding.layers, eigenvalues=encoding.result.eigenvalues)
    plot.save(plot.heat_maps(encoding.layers, title="Supra-Laplacian encodings of four communities"), picture)
    plot.save(plot.coupling_lines(generators.path_layers(40, 4)), paths)
    print(f"{graph}\n{encoding.result}")
    print(_proposition(sides_in_integers(graph, seed=seed)))
    return [edges, encodings, picture, paths]


def _proposition(sides: Sides) -> str:
    verdict = "holds" if sides.difference == 0 else "FAILS"
    right = f"in space {sides.intra} + in time {sides.inter} = {sides.total}"
    return f"Proposition 1 {verdict}: tr(XᵀLX) = {sides.energy}, {right}"


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m supra_core.demo", description=run.__doc__)
    parser.add_argument("--output", type=Path, default=Path("demo"), help="the folder to write to")
    for path in run(parser.parse_args().output):
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
