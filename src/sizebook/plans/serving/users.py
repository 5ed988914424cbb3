"""Traffic as people: users, how many are active, what they ask on a working day, and in which hours of it."""

from typing import Annotated, Any

from sizebook.core.errors import InputError
from sizebook.core.quantities import DAYS_PER_MONTH
from sizebook.core.sections import DEFAULT, AskedBy, Quantity, quantity, section
from sizebook.plans.serving.day import HOURS

_WORK_BEGINS = 9  # o'clock, where users are
_FARTHEST_ZONE = 14  # hours from UTC, the Line Islands

HoursActive = Annotated[
    float | None,
    Quantity(
        "hours of a day in which users ask, from nine o'clock on, in place of a shape or a peak; blank for those",
        unit="hours",
        above=0,
        maximum=HOURS,
        default=None,
        label="Hours of a working day",
    ),
]
TimeZones = Annotated[
    Any,
    Quantity(
        "where users are: pairs of hours from UTC and share of users; blank for one time zone",
        default=None,
        label="Time zones of users",
    ),
]


@section
class Users(AskedBy, key="users"):
    """Users x share that is active x requests of each on a working day x working days, and when they ask."""

    users: float | None = quantity(
        "people who may ask, in place of requests a day", "users", above=0, maximum=1e11, default=None, label="Users"
    )
    active_share: float = quantity(
        "share of users who are active on a working day",
        "ratio",
        above=0,
        maximum=1,
        default=1,
        label="Users active on a working day",
        source="neutral: all of them",
    )
    requests_per_user: float | None = quantity(
        "requests of an active user on a working day",
        "requests",
        above=0,
        maximum=1e9,
        default=None,
        label="Requests of an active user",
    )
    working_days: float | None = quantity(
        "days of a month on which users work, blank for all of them",
        "days",
        above=0,
        maximum=DAYS_PER_MONTH,
        default=None,
        label="Working days of a month",
    )
    hours_active: HoursActive = DEFAULT
    time_zones: TimeZones = DEFAULT

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.users is not None and self.requests_per_user is None:
            raise InputError(
                "users without requests: got users and no requests_per_user, want what an active one asks on a working "
                "day. State requests_per_user."
            )
        _ = self.hours

    @property
    def requests_per_day(self) -> float:
        """Requests a day, a mean over all days of a month."""
        per_working_day = (self.users or 0) * self.active_share * (self.requests_per_user or 0)
        return per_working_day / self.working_day_factor

    @property
    def working_day_factor(self) -> float:
        """The requests of a working day over those of the mean day."""
        return 1.0 if self.working_days is None else DAYS_PER_MONTH / self.working_days

    @property
    def hours(self) -> tuple[float, ...] | None:
        """Relative arrivals of the 24 hours of UTC, None where nobody said when users ask."""
        return hours_of_users(self.hours_active, self.time_zones)


def hours_twice(stated: str) -> InputError:
    """Return the refusal of hours in which users ask beside another statement of a day's hours."""
    return InputError(f"hours given twice: got {stated} and hours_active, want one of them. Remove the other.")


def hours_of_users(hours_active: float | None, time_zones: Any) -> tuple[float, ...] | None:
    """Return relative arrivals of the 24 hours of UTC from users of time zones; None where no hours are given."""
    if hours_active is None and time_zones is not None:
        raise InputError(
            "time zones without hours: got time_zones and no hours_active, want the hours of a day in which users ask. "
            "State hours_active."
        )
    if hours_active is None:
        return None
    day = [0.0] * HOURS
    for offset, share in _zones(time_zones):
        for hour in range(HOURS):
            begins = (hour - _WORK_BEGINS + offset) % HOURS  # hours since work began there
            today = max(0.0, min(1.0, hours_active - begins))
            day[hour] += share * (today + min(hours_active, max(0.0, begins + 1 - HOURS)))
    return tuple(day)


def _zones(given: Any) -> tuple[tuple[float, float], ...]:
    """Return the hours from UTC and the share of users of each zone.

    Errors: what is no pair of numbers, a zone that there is not, shares that do not add up to 1.
    """
    if given is None:
        return ((0.0, 1.0),)
    pairs = given if isinstance(given, (list, tuple)) else ()
    for pair in pairs or (given,):
        numbers = [each for each in pair if isinstance(each, (int, float))] if isinstance(pair, (list, tuple)) else []
        if len(numbers) != 2 or abs(numbers[0]) > _FARTHEST_ZONE or not 0 < numbers[1] <= 1:
            raise InputError(
                f"no time zone: got {pair!r} in time_zones, want hours from UTC, -14 to 14, and a share above 0, such "
                "as [[1, 0.6], [-5, 0.4]]. Correct it."
            )
    total = sum(share for _, share in pairs)
    if abs(total - 1) > 1e-6:
        raise InputError(f"time zones are not all users: got shares that add up to {total:g}, want 1. Correct them.")
    return tuple((float(offset), float(share)) for offset, share in pairs)
