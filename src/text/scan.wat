;; Newline scanning over a block of bytes in linear memory.
;; `npm run wasm` turns this into scan-wasm.ts; a test holds the two together.
(module
  ;; 66 pages: two read buffers of 2 MiB each, and room to spare.
  (memory (export "memory") 66)

  ;; How many bytes in [from, from + length) are 0x0A.
  (func (export "count") (param $from i32) (param $length i32) (result i32)
    (local $end i32) (local $stop i32) (local $total i32)
    (local $newline v128) (local $even v128) (local $odd v128)
    (local.set $end (i32.add (local.get $from) (local.get $length)))
    (local.set $newline (i8x16.splat (i32.const 10)))
    ;; 2,048 bytes a round: each byte lane of an accumulator grows by at most 64, far from overflow.
    (block $short
      (loop $round
        (br_if $short (i32.gt_u (i32.add (local.get $from) (i32.const 2048)) (local.get $end)))
        (local.set $stop (i32.add (local.get $from) (i32.const 2048)))
        (local.set $even (v128.const i64x2 0 0))
        (local.set $odd (v128.const i64x2 0 0))
        (loop $step
          ;; A match is 0xFF, that is -1: subtracting counts it.
          (local.set $even (i8x16.sub (local.get $even)
            (i8x16.eq (v128.load (local.get $from)) (local.get $newline))))
          (local.set $odd (i8x16.sub (local.get $odd)
            (i8x16.eq (v128.load offset=16 (local.get $from)) (local.get $newline))))
          (local.set $even (i8x16.sub (local.get $even)
            (i8x16.eq (v128.load offset=32 (local.get $from)) (local.get $newline))))
          (local.set $odd (i8x16.sub (local.get $odd)
            (i8x16.eq (v128.load offset=48 (local.get $from)) (local.get $newline))))
          (local.set $from (i32.add (local.get $from) (i32.const 64)))
          (br_if $step (i32.lt_u (local.get $from) (local.get $stop))))
        (local.set $even (i32x4.extadd_pairwise_i16x8_u (i16x8.add
          (i16x8.extadd_pairwise_i8x16_u (local.get $even))
          (i16x8.extadd_pairwise_i8x16_u (local.get $odd)))))
        (local.set $total (i32.add (local.get $total) (i32.add
          (i32.add (i32x4.extract_lane 0 (local.get $even)) (i32x4.extract_lane 1 (local.get $even)))
          (i32.add (i32x4.extract_lane 2 (local.get $even)) (i32x4.extract_lane 3 (local.get $even))))))
        (br $round)))
    (block $done
      (loop $byte
        (br_if $done (i32.ge_u (local.get $from) (local.get $end)))
        (local.set $total (i32.add (local.get $total) (i32.eq (i32.load8_u (local.get $from)) (i32.const 10))))
        (local.set $from (i32.add (local.get $from) (i32.const 1)))
        (br $byte)))
    (local.get $total)))
