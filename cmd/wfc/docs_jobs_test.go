package main

import (
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// jobs runs the commands of a pipeline's file, of a kind: github, gitlab or
// pre-commit. Installing wfc is left out, since it is there.
func (s *session) jobs(kind, text string) {
	var commands []string
	var err error
	switch kind {
	case "github":
		commands, err = githubCommands(text)
	case "gitlab":
		commands, err = gitlabCommands(text)
	case "pre-commit":
		commands, err = s.hookCommands(text)
	default:
		s.t.Fatalf("%s: nobody knows the jobs of %q", s.at, kind)
	}
	if err != nil {
		s.errorf("%v", err)
	}
	commands = slices.DeleteFunc(commands, func(c string) bool { return strings.HasPrefix(c, "go install ") })
	if len(commands) == 0 {
		s.errorf("there is no command in it")
	}
	for _, c := range commands {
		s.command(c, 0)
	}
}

// githubCommands returns what the steps of all jobs run, by the names of the jobs.
func githubCommands(text string) ([]string, error) {
	var file struct {
		Jobs map[string]struct {
			Steps []struct{ Run string }
		}
	}
	err := yaml.Unmarshal([]byte(text), &file)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(file.Jobs)) {
		for _, step := range file.Jobs[name].Steps {
			if step.Run != "" {
				out = append(out, step.Run)
			}
		}
	}
	return out, err
}

// gitlabCommands returns the scripts of all jobs, by the names of the jobs.
func gitlabCommands(text string) ([]string, error) {
	var file map[string]struct {
		BeforeScript []string `yaml:"before_script"`
		Script       []string
	}
	err := yaml.Unmarshal([]byte(text), &file)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(file)) {
		out = append(out, append(file[name].BeforeScript, file[name].Script...)...)
	}
	return out, err
}

// hookCommands returns what pre-commit runs where all files are committed: each
// local hook with the files that it is for.
func (s *session) hookCommands(text string) ([]string, error) {
	var file struct {
		Repos []struct {
			Hooks []struct {
				Entry         string
				Files         string
				PassFilenames *bool `yaml:"pass_filenames"`
			}
		}
	}
	err := yaml.Unmarshal([]byte(text), &file)
	var out []string
	for _, repo := range file.Repos {
		for _, hook := range repo.Hooks {
			files, err := s.matching(hook.Files)
			if err != nil {
				return nil, err
			}
			if len(files) == 0 {
				s.errorf("the hook %q is for no file", hook.Entry)
			}
			if hook.PassFilenames != nil && !*hook.PassFilenames {
				files = nil
			}
			out = append(out, strings.Join(append([]string{hook.Entry}, files...), " "))
		}
	}
	return out, err
}

// matching returns the project's files that a pattern is found in, sorted.
func (s *session) matching(pattern string) ([]string, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	var out []string
	err = filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(s.dir, path)
		if name = filepath.ToSlash(name); re.MatchString(name) {
			out = append(out, name)
		}
		return err
	})
	return out, err
}
