; In addition to ecma.scm.

(type_identifier) @use
