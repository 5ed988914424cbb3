"""Within one calculation the same work is done once, outside of one each time."""

from sizebook.core.once import once, one_calculation


def test_the_same_work_is_done_once_within_one_calculation() -> None:
    asked: list[tuple[int, int]] = []

    def work(one: int, other: int = 0) -> int:
        asked.append((one, other))
        return one + other

    with one_calculation():
        assert [once(work, 1), once(work, 1), once(work, 1, other=2), once(work, 2)] == [1, 1, 3, 2]
    assert asked == [(1, 0), (1, 2), (2, 0)]
    assert [once(work, 1), once(work, 1)] == [1, 1]
    with one_calculation():
        once(work, 1)
    assert asked[3:] == [(1, 0)] * 3
