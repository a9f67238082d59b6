// Command bareparse parses all HCL files below a folder with hclsyntax, one
// after the other, and does nothing else: what a program without wfc costs, for
// benchmarks.
//
//	bareparse FOLDER
package main

import (
	"io/fs"
	"log"
	"os"
	"path/filepath"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: bareparse FOLDER")
	}
	err := filepath.WalkDir(os.Args[1], func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".hcl" {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if _, diags := hclsyntax.ParseConfig(src, path, hcl.InitialPos); diags.HasErrors() {
			return diags
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
}
