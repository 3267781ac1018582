"""What one process has compiled another one opens, and nothing that is damaged."""
import glob
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import pm
from programs import BLUR, blur, error, picture


class Kept(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        os.environ["PM_CACHE_DIR"] = self.folder

    def files(self):
        return {file: os.stat(file).st_ino for file in glob.glob(os.path.join(self.folder, "*"))}

    def test_found(self):
        for target in (None, "c"):
            f = blur(target=target)
            whole, box = f(picture(9, 9)), f.region(blur=((0, 2), (1, 4)), img=picture(9, 9))
            made = self.files()
            again = blur(target=target)
            np.testing.assert_array_equal(again(picture(9, 9)), whole)
            np.testing.assert_array_equal(again.region(blur=((0, 2), (1, 4)), img=picture(9, 9)), box)
            self.assertEqual((repr(again), again.needs(blur=((0, 1), (0, 1)), R=4, C=4)),
                             (repr(f), f.needs(blur=((0, 1), (0, 1)), R=4, C=4)))
            self.assertEqual(self.files(), made)
        self.assertEqual(len(made), 4)

    def test_other_process(self):
        blur()(picture(9, 9))
        made = self.files()
        code = "import sys, programs; sys.stdout.buffer.write(programs.blur()(programs.picture(9, 9)).tobytes())"
        said = subprocess.run([sys.executable, "-c", code], cwd=os.path.dirname(__file__), stdout=subprocess.PIPE, check=True)
        np.testing.assert_array_equal(np.frombuffer(said.stdout, "f4").reshape(7, 7), blur()(picture(9, 9)))
        self.assertEqual(self.files(), made)

    def test_key(self):
        """Each is another program: nothing is found that was made of another text or with other options."""
        for i, f in enumerate((blur(), blur(fp="strict"), blur(target="c"), blur(target="c", cflags="-O1"),
                               blur(settings=["tile{own=false}"]), pm.Pipeline(BLUR.replace("1.0 / 9", "2.0"), "blur.py"))):
            f.build()
            self.assertEqual(len(self.files()), i + 1)
        self.assertAlmostEqual(float(f(np.ones((3, 3), "f4"))[0, 0]), 18)
        blur(fp="fast", cache=False).build()
        self.assertEqual(len(self.files()), i + 1)

    def test_damaged(self):
        right = blur()(picture(9, 9))
        (file,) = self.files()
        with open(file, "r+b") as opened:
            opened.seek(-40, os.SEEK_END)
            opened.write(b"damaged!")
        np.testing.assert_array_equal(blur()(picture(9, 9)), right)
        with open(file, "rb") as opened:
            self.assertNotIn(b"damaged!", opened.read())

    def test_no_folder(self):
        os.environ["PM_CACHE_DIR"] = "/dev/null/cache"
        f = blur().build()
        self.assertEqual([str(w) for w in f.warnings],
                         ["warning: compiled programs are not kept in '/dev/null/cache': Not a directory"])
        os.environ["PM_CACHE_DIR"] = ""
        self.assertEqual(blur().build().warnings, [])

    def test_wrong_programs(self):
        self.assertIn("'Q' is not defined", error(lambda: pm.Pipeline("a = Q\n", "a.py").build()))
        self.assertEqual(self.files(), {})


if __name__ == "__main__":
    unittest.main()
