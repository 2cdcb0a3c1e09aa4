; In addition to c.scm.

(namespace_identifier) @use
(qualified_identifier name: (identifier) @member)
