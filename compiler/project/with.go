package project

import (
	"maps"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/lang/iface"
	"github.com/lda-wf/wfc/lang/syntax"
)

// With returns the project as it would be with another text of one of its files, or
// with one file more: what an editor tries out. All else is the same and is not read
// again. What is wrong with the files is not in its diagnostics.
func (p *Project) With(name string, src []byte) *Project {
	c := &Project{
		Root: p.Root, named: p.named, overlay: p.overlay, alone: p.alone, Settings: p.Settings,
		Files: slices.Clone(p.Files), InterfaceFiles: p.InterfaceFiles,
		sources: maps.Clone(p.sources), of: p, content: p.Content,
	}
	c.sources[name] = src
	switch {
	case name == syntax.SettingsName:
		c.Settings, _ = syntax.Parse(name, src)
	case strings.HasSuffix(name, interfaceSuffix):
		f, _ := iface.Parse(name, src)
		c.InterfaceFiles = slices.Clone(p.InterfaceFiles)
		i, found := slices.BinarySearchFunc(c.InterfaceFiles, name, func(f *iface.File, name string) int { return strings.Compare(f.Name, name) })
		if found {
			c.InterfaceFiles[i] = f
		} else {
			c.InterfaceFiles = slices.Insert(c.InterfaceFiles, i, f)
		}
	default:
		f, _ := syntax.Parse(name, src)
		i, found := slices.BinarySearchFunc(c.Files, name, func(f *syntax.File, name string) int { return strings.Compare(f.Name, name) })
		if found {
			c.Files[i] = f
		} else {
			c.Files = slices.Insert(c.Files, i, f)
		}
	}
	c.index(p)
	c.Diagnostics = nil
	return c
}
