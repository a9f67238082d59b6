# What is kept between runs.

workflow "remember" {
  description = "Adds what is known of somebody: finds, then creates or adds."

  source "memory" {
    bind = connection.memory.main
  }

  input "person" {
    type = string
  }
  input "facts" {
    type = list(string)
  }

  locals {
    found = [for e in step.find.output.entities : e if e.name == input.person]
    known = flatten1([for e in local.found : e.observations])
    fresh = [for f in distinct(input.facts) : f if !contains(local.known, f)]
  }

  step "find" {
    call = memory.open_nodes
    args = { names = [input.person] }
  }

  step "create" {
    when = length(local.found) == 0
    call = memory.create_entities
    args = { entities = [{ name = input.person, entityType = "person", observations = local.fresh }] }
  }

  step "add" {
    when = length(local.found) > 0 && length(local.fresh) > 0
    call = memory.add_observations
    args = { observations = [{ entityName = input.person, contents = local.fresh }] }
  }

  output "added" {
    value = step.create.outcome == "ok" ? length(local.fresh) : (step.add.outcome == "ok" ? length(flatten1([for r in step.add.output.results : r.addedObservations])) : 0)
  }
}

workflow "forget_duplicates" {
  description = "Deletes repeated relations, after a look at them."

  source "memory" {
    bind = connection.memory.main
  }

  step "graph" {
    call = memory.read_graph
  }

  locals {
    keys      = [for r in step.graph.output.relations : "${r.from} ${r.relationType} ${r.to}"]
    duplicate = [for i, r in step.graph.output.relations : r if contains(slice(local.keys, 0, i), local.keys[i])]
  }

  step "sure" {
    when = length(local.duplicate) > 0
    ask {
      message = "Delete ${length(local.duplicate)} relations?"
      answer  = object({ ok = bool })
    }
  }

  step "delete" {
    when = step.sure.outcome == "ok" && step.sure.output.ok
    call = memory.delete_relations
    args = { relations = [for r in local.duplicate : { from = r.from, to = r.to, relationType = r.relationType }] }
  }

  output "deleted" {
    value = step.delete.outcome == "ok" ? length(local.duplicate) : 0
  }
}

workflow "people_report" {
  description = "Everything known of some people, each by a workflow of its own."

  source "mem" {
    bind = connection.memory.main
  }

  input "people" {
    type = map(list(string))
  }

  step "each" {
    for_each     = input.people
    run          = workflow.remember
    args         = { person = each.key, facts = each.value }
    bind         = { memory = mem }
    max_parallel = 1
    on_error     = "continue"
  }

  output "added" {
    value = { for name, r in step.each : name => r.outcome == "ok" ? r.output.added : 0 }
  }
}
