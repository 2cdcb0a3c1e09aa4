(identifier) @use
(navigation_expression (_) (identifier) @member)

(import (qualified_identifier) @module)
