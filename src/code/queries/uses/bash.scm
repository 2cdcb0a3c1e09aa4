(command name: (command_name (word) @use))

(command
  name: (command_name (word) @called)
  .
  argument: (_) @module
  (#match? @called "^(source|[.])$"))
