; Beside ecma.scm.

(type_identifier) @use
