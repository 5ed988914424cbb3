"""`sizebook libreoffice install` as a user who is not root, and what that user's LibreOffice shows then.

`python -m tests.libreoffice.as_user SITE_PACKAGES` takes the folder where sizebook is installed; as root it installs as
`nobody`. The user has nothing but a home: LibreOffice makes its profile there at the first start.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from openpyxl import Workbook

from tests.libreoffice.office import Office, python_with_uno

FORMULA, SHOWN = "=SIZEBOOK.PARAMS_MHA(4096)", "67125248"


class UsersOffice(Office):
    """The office of a user who ran the command, in the profile of that user's home."""

    PROFILE = ".config/libreoffice/4"  # where LibreOffice itself puts it

    def __init__(self, packages: Path) -> None:
        self.packages = packages
        super().__init__()

    def install(self, profile: Path) -> None:
        """Run the command twice, the second time over the first."""
        packages = self.folder / "packages"
        shutil.copytree(self.packages, packages)
        for _ in range(2):
            done = self._run([python_with_uno(), "-m", "sizebook", "libreoffice", "install"], PYTHONPATH=str(packages))
            assert done.returncode == 0, done.stderr
            sys.stdout.write(f"{done.stdout.strip()}\n")
        assert profile.is_dir()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, UsersOffice(Path(sys.argv[1])) as office:
        book = Workbook()
        book.create_sheet("Plan", 0)["A1"] = FORMULA
        path = Path(folder) / "asked.xlsx"
        book.save(path)
        shown = office.display(path)["Plan"]["A1"]
    assert shown == SHOWN, shown
    sys.stdout.write(f"LibreOffice of a user who is not root: {FORMULA} shows {shown}\n")


if __name__ == "__main__":
    main()
