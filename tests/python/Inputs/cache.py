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

    def functions(self):
        """Files that have machine code; others have what callers see of a program."""
        found = []
        for file in self.files():
            with open(file, "rb") as opened:
                found += [file] if b"\x7fELF" in opened.read() else []
        return found

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
        self.assertEqual((len(self.functions()), len(made)), (4, 5))

    def test_other_process(self):
        blur()(picture(9, 9))
        made = self.functions()
        code = ("import sys, programs; sys.stdout.buffer.write(programs.blur()(programs.picture(9, 9)).tobytes()); "
                "sys.exit('libLLVM' in open('/proc/self/maps').read())")
        said = subprocess.run([sys.executable, "-c", code], cwd=os.path.dirname(__file__), stdout=subprocess.PIPE, check=True)
        np.testing.assert_array_equal(np.frombuffer(said.stdout, "f4").reshape(7, 7), blur()(picture(9, 9)))
        self.assertEqual(self.functions(), made)

    def test_key(self):
        """Each is another program: nothing is found that was made of another text or with other options."""
        for i, f in enumerate((blur(), blur(fp="strict"), blur(target="c"), blur(target="c", cflags="-O1"),
                               blur(settings=["tile{own=false}"]), pm.Pipeline(BLUR.replace("1.0 / 9", "2.0"), "blur.py"))):
            f.build()
            self.assertEqual(len(self.functions()), i + 1)
        self.assertAlmostEqual(float(f(np.ones((3, 3), "f4"))[0, 0]), 18)
        blur(fp="fast", cache=False).build()
        self.assertEqual(len(self.functions()), i + 1)

    def test_warnings(self):
        """A text with warnings is read each time, so that they are given."""
        warned = [[str(w) for w in blur(const={"unknown": 3}).build().warnings] for _ in range(2)]
        self.assertEqual((len(warned[0]), warned[1]), (1, warned[0]))

    def test_other_files(self):
        """What a program imports decides, too."""
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "a.py")
            with open(program, "w", encoding="utf-8") as opened:
                opened.write("from scale import scale\n" + BLUR.replace("1.0 / 9", "scale"))
            for scale in (1, 2):
                with open(os.path.join(folder, "scale.py"), "w", encoding="utf-8") as opened:
                    opened.write(f"scale = {scale}.0\n")
                for _ in range(2):
                    self.assertEqual(float(pm.load(program)(np.ones((3, 3), "f4"))[0, 0]), 9 * scale)

    def test_files_that_appear(self):
        """A file where an import was passed over is another program."""
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "a.py")
            with open(program, "w", encoding="utf-8") as opened:
                opened.write("scale = 1.0\nfrom extras import *\n" + BLUR.replace("1.0 / 9", "scale"))
            ones = np.ones((3, 3), "f4")
            self.assertEqual([float(pm.load(program)(ones)[0, 0]) for _ in range(2)], [9, 9])
            with open(os.path.join(folder, "extras.py"), "w", encoding="utf-8") as opened:
                opened.write("scale = 7.0\n")
            self.assertEqual(float(pm.load(program)(ones)[0, 0]), 63)

    def test_warned_once(self):
        """The limit is wrong: that is said once, whether the interface, the function or neither is found."""
        os.environ["PM_CACHE_MB"] = "abc"
        try:
            for _ in range(3):
                self.assertEqual([str(w)[:33] for w in blur().build().warnings], ["warning: PM_CACHE_MB is 'abc', but"[:33]])
                for file in self.functions()[:1]:
                    os.remove(file)
        finally:
            del os.environ["PM_CACHE_MB"]

    def test_read_later(self):
        """What needs the whole program reads it."""
        blur().build()
        made, f = self.files(), blur().build()
        self.assertIn("blur", f.ir(""))
        self.assertIn("int blur(", blur(target="c").source)
        self.assertEqual(self.files(), made)

    def test_damaged(self):
        right = blur()(picture(9, 9))
        (file,) = self.functions()
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
