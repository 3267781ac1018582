import optparse


class Arguments:
    pass


def parse():
    parser = optparse.OptionParser()
    parser.add_option("-n", action="store")
    (options, rest) = parser.parse_args()
    return options
