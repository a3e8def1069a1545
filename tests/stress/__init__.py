"""Long, seeded runs that look for what no single test can show; CI runs a short form of each.

isolation    interleavings of many clients, checked against a serial model
locks        threads of the official client on the same and on separate rows
server       hundreds of client threads on one server, with a ledger that checks
statements   statements that try to exhaust memory or time
plugin       suites of tests that do everything that could reach the next test
"""
