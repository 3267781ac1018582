ROOT = "../.."
