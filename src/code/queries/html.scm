(comment) @comment
(script_element (start_tag (tag_name) @name) @head (raw_text)? @body) @element
(style_element (start_tag (tag_name) @name) @head (raw_text)? @body) @element
(element
  (start_tag
    (attribute
      (attribute_name) @attribute (#eq? @attribute "id")
      [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)])) @head) @element
(element
  (start_tag (tag_name) @tag (#match? @tag "^([hH][1-6])$"))
  .
  (_) @name) @heading
(element
  (start_tag
    (tag_name) @name
    (#match? @name "^(head|body|header|footer|main|nav|section|article|aside|form|table|template|dialog)$")) @head) @element
