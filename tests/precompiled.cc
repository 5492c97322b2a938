// Belongs to the target that holds the precompiled header of the tests.
