"""``supra train``: what is trained, what is printed and kept, and that it goes on."""

from supra_experiments.config import Config
from supra_experiments.training.record import RunRecord, read_records

SMALL = ["--set", "max_epochs=2", "--set", "hidden_channels=4", "--set", "k=2", "--set", "max_steps=2"]


def test_train_prints_models_beside_scores_without_learning(run, edges):
    code, out, _ = run(
        "train", edges, "--model", "grugcn,egcn-o", "--pe", "none,slpe-i", "--seeds", 2, *SMALL
    )
    assert code == 0
    for word in ("grugcn", "egcn-o", "slpe-i", "edgebank", "degree", "count", "neighbours", "±"):
        assert word in out


def test_train_all_encodings_and_features(run, edges):
    code, out, _ = run(
        "train", edges, "--model", "egcn-o", "--pe", "all", "--features", "all", *SMALL, "--json"
    )
    records = [RunRecord.from_json(line) for line in out.splitlines()]
    assert code == 0
    learned = [record for record in records if record.config.model.is_learned]
    assert len(learned) == 21
    assert len({(record.config.encoding.pe, record.config.data.features) for record in learned}) == 21
    assert len(records) == 25


def test_train_predicts_the_next_snapshot_with_the_pairs_past(run, edges):
    options = ["--protocol", "next", "--decoder", "history", "--train-negatives", "mixed", "--follow"]
    models = ["--model", "htgn,logistic,boosting", "--pe", "none,slpe-e", "--features", "zeros,one-hot"]
    code, out, _ = run("train", edges, *models, *options, *SMALL, "--json")
    assert code == 0
    learned = [RunRecord.from_json(line).config for line in out.splitlines()][4:]
    # Features are the network's alone.
    assert [config.model.name for config in learned] == [*["htgn"] * 4, *["logistic"] * 2, *["boosting"] * 2]
    for config in learned:
        assert (config.training.protocol, config.training.train_negatives) == ("next", "mixed")
        assert (config.model.decoder_history, config.data.follow) == (True, True)
    code, out, _ = run("train", edges, *models, *options, *SMALL)
    assert code == 0
    assert [line for line in out.splitlines() if "logistic" in line and "–" in line]


def test_train_goes_on_from_its_output(run, edges, tmp_path):
    output = tmp_path / "runs.jsonl"
    arguments = ["train", edges, "--model", "grugcn", "--pe", "none", "--seeds", 2, *SMALL, "-o", output]
    assert run(*arguments)[0] == 0
    first = output.read_text()
    assert len(list(read_records(output))) == 6
    assert run(*arguments)[0] == 0
    assert output.read_text() == first, "nothing is run twice"
    lines = first.splitlines(keepends=True)
    output.write_text("".join(lines[:-1]))  # as if killed before the last record was written
    assert run(*arguments)[0] == 0
    again = [record.outcome() for record in read_records(output)]
    assert again == [RunRecord.from_json(line).outcome() for line in lines]


def test_train_takes_settings_from_a_file_and_shows_them(run, edges, tmp_path):
    path = tmp_path / "run.toml"
    Config(model="egcn-o", lr=0.5, max_epochs=3).write(path)
    code, out, _ = run(
        "train", edges, "--config", path, "--set", "lr=0.25", "--features", "zeros", "--show-config"
    )
    assert code == 0
    config = Config.from_toml(out)
    assert (config.model.name, config.training.lr, config.training.max_epochs, config.data.features) == (
        "egcn-o",
        0.25,
        3,
        "zeros",
    )
    assert config.data.dataset == str(edges)


def test_train_with_features_of_the_users_own(run, edges, tmp_path):
    path = tmp_path / "features.csv"
    path.write_text("node,a,b\nann,1,0\nfay,0,1\n")
    code, out, _ = run("train", edges, "--model", "grugcn", "--features", path, *SMALL, "--json")
    assert code == 0
    assert RunRecord.from_json(out.splitlines()[-1]).config.data.features == str(path)
