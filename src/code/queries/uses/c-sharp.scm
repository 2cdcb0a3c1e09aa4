(identifier) @use
(member_access_expression name: (identifier) @member)

(using_directive (_) @module)
