"""What a search asks a trial on the way: the links that judge it, before its end."""

import dataclasses

import pytest

from supra_experiments import Config, fit
from supra_experiments.training.pack_fit import fit_pack
from supra_experiments.training.record import RunRecord

RUN = {"dataset": "demo", "features": "zeros", "pe": "slpe-e", "k": 4, "hidden_channels": 8, "lr": 0.02}
AT = (1, 3, 5)


def configs_of(**changes) -> list[Config]:
    models = {"grugcn": {}, "egcn-h": {}, "htgn": {"validation_snapshots": 2}}
    return [Config(**RUN | own | {"model": name, "max_epochs": 6} | changes) for name, own in models.items()]


@pytest.mark.parametrize("config", configs_of(), ids=lambda config: config.model.name)
def test_it_is_what_a_shorter_run_comes_to_and_training_goes_on_as_without(config):
    plain, judged = fit(config), fit(config, judge_at=AT)
    assert [epoch.judged_auc is not None for epoch in judged.history] == [n in AT for n in range(1, 7)]
    for epoch in AT:
        shorter = fit(config.replace(max_epochs=epoch))
        assert judged.history[epoch - 1].judged_auc == shorter.test.auc
    unasked = tuple(dataclasses.replace(epoch, judged_auc=None) for epoch in judged.history)
    assert dataclasses.replace(judged, history=unasked).outcome() == plain.outcome()


@pytest.mark.parametrize("config", configs_of(), ids=lambda config: config.model.name)
def test_each_run_of_a_pack_is_asked_for_itself(config):
    runs = [config.replace(seed=seed, lr=lr) for seed, lr in ((0, 0.02), (1, 0.05))]
    for packed, run in zip(fit_pack(runs, judge_at=AT), runs, strict=True):
        alone = fit(run, judge_at=AT)
        assert [epoch.loss for epoch in packed.history] == pytest.approx(
            [epoch.loss for epoch in alone.history], rel=1e-4
        )
        for mine, other in zip(packed.history, alone.history, strict=True):
            assert mine.judged_auc == pytest.approx(other.judged_auc, abs=2e-3)


def test_records_have_a_place_for_it_only_where_it_was_asked_for():
    config = configs_of(max_epochs=2)[0]
    plain, judged = fit(config), fit(config, judge_at=[2])
    assert "judged_auc" not in plain.to_json()
    assert RunRecord.from_json(judged.to_json()) == judged
    assert "judged_auc" not in judged.to_dict()["history"][0]
