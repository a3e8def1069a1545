"""Many threads of the official client on one database, in each other's way or not.

bank      transfers between hot and cold accounts: the sum never changes, nobody starves
disjoint  rows of their own: nobody is ever aborted
crash     a client that dies in the middle of a transaction: the others go on
deadline  a client that stops waiting for a query: the server stops computing it
"""
