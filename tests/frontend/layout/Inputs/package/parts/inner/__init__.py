hidden_by_none = 5
_hidden = 6
