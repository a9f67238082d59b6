package proxy

// Wait waits until every client has ended.
func (p *Proxy) Wait() { p.work.Wait() }
