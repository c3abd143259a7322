"""An invented site of the Stack Exchange network, written as the eight files of a real dump, of any size."""
