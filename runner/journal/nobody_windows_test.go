package journal

func becomeNobody() error { return nil }
