(import_statement) @imports
(comment) @comment
(rule_set (selectors) @name (block) @body) @rule
(media_statement (block) @body) @rule
(supports_statement (block) @body) @rule
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @rule
(at_rule (block) @body) @rule
