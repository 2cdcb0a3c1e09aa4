(comment) @comment
(function_definition name: (_) @name body: (_) @body) @function
(heredoc_body) @block
(do_group) @block
(array) @block
