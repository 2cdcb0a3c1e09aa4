/** A few texts compressed by bzip2 1.0, xz 5.4 and zstd 1.5, because Node has no encoder for these. */

const decode = (base64: string): Buffer => Buffer.from(base64, 'base64');

/** 30 lines of five hexadecimal numbers, and `NEEDLE` at the end. */
export const needleText = ((): string => {
  let seed = 7n;
  const numbers = Array.from({ length: 150 }, () =>
    (seed = (seed * 1_103_515_245n + 12_345n) % 2n ** 31n).toString(16),
  );
  const lines = Array.from({ length: 30 }, (_, i) => `${numbers.slice(i * 5, i * 5 + 5).join(' ')}\n`);
  return `${lines.join('')}NEEDLE\n`;
})();

/** `needleText`; `hello\nworld\n`; `hello line\n` 100,000 times; a tar of `dir/a.txt` and `ok.txt`; 3,000 random bytes. */
export const packed = {
  bz2: {
    needle: decode(
      'QlpoMTFBWSZTWQWhdDMAAQrdAAAQQAB/4AYFPwBQA2x1m7jrvbt3B4iqf5BowTKU/KEUzSaNtJN5UAqqf+AEwkqGEVT/BlBPU2lQwip+' +
        'NU9JvVPap6oBjXm+67u3S50dfKZ0G3b33BKePnM2HiIaLckjbH56NJDd0HKYa7ZdEFLV2TlyjqAKHph3ZlkuEEL2XzGabTTxoeHjuTXB' +
        '0RvCEuRywmk3oKy1OROxrMliDKmTKhQKL1XF1mkqWjXclj6PQr8oHnrHXJJyezggKE/bE0JvePI4uVemnb9NkT4mhSnBt4WzfHQ+bJQE' +
        'SpfAAcwHmXXyU9JG7HZ51UAd98G9nA4rS3SxaBYbd0QhGz7qsQWJ3ih/jF0s6cigfm5zEqGnA9auIShy2jXmFhLOLVsoOgPmfHxlcu8s' +
        'iUe+rFwfC+CXlrW0QwnEV5aHFqK24rXa0JIT0pJE4Y0e4i7CSSGpD6y5FCALRqnaUWYKZDN8aPg+1j3JA/uP1kbNW8DCn0pXVRaNOhU9' +
        '8ZFsaEkO/VHuILlRmGxDpDlSPHlj0gHmKysPlNjpEgudLy4nvopZglC52EouGDKOUFNhsnkGWDg2m6DdXhdvOjD2zp6hxGuzM/W+2p9j' +
        '/fPN9MTweWQmABzoUoNv24ntwK1IrdscBkQHjx26iTTldCzWuWhenHepJNW1bU4WDQZUPw6ur7mNG6OFUOMuCD466U+mYnZ85namrpIa' +
        'LDPMMK01vSGxFjgkBrQV8kKhoVK5/dH3vLHZ4v3Z6eA0fjTfaaf3UNNynYB9V85H11dkLNytPXNtsLo5WZsTC5OqlD5tIeYlpeG+Y9pM' +
        'EovqgSKNxw420xGafORIpo4aTqdfr8BllguKdGPEfhjxzWVvTp9gNWSOjNAk0zYzqEr3ydX6XbBio5JzfB9s396wXwPal1s5qx3U5YBX' +
        '2VCMJE3ilxQont3fjqSVHSQaS84PtOD0tUSATQXHcLQz6fZCuRCcKXHVPmkj7h5eNT698gjEWxtougHW5HBBKLJZyRDK10HKExkKq1p0' +
        'x/F3JFOFCQBaF0Mw',
    ),
    hello: decode('QlpoOTFBWSZTWWtfsd0AAAJBgAAQBkSQgCAAMQwIIaNpCAcjroeLuSKcKEg1r9jugA=='),
    lines: decode(
      'QlpoOTFBWSZTWb1Vg+YCfzDRAAAQQAACZaAAkCGBAmqp6jNTKigFbUUAraigFcUUArPqigFbUUArtRQCuqKAViigFbUUArxRQCvz' +
        'FBWSZTWYY9RJgARwfRAAAQQAACZaAAkCGBAUqnqM1MEFQ2oFQzRBUOVAqGVAqGiCodEFQ7UCoZUCoaIKh5UCofi7kinChIfkshqo',
    ),
    tar: decode(
      'QlpoOTFBWSZTWaW8dSEAAI37gMuQACBAAf+AAJB3bd5AGAggAHIakeoAaAMjQGjRtQSKmiaaGg8o02ggAP3o2FDHpYAOlJCI7vJE' +
        'sCUtprLBCGBfi4J9dUjQCqGCL5wEQJz5M3kSm51lZVQF3RhkM2d8Rua12nh+kCeDHJh4MYBQQgD8XckU4UJClvHUhA==',
    ),
    noise: decode(
      'QlpoOTFBWSZTWbUIBxIABGZRAGAQQAA/wGAHn1q9Urt3Wdra1ypXLNKRZUzRFPaMmUoInk0yKQQNA0CqfsTJqlBA0DQIqf4IKajz' +
        '73zQ3yg9LpvD4GFYAoTeK/YcztT2atoTHu7V5e3SEDtHaYdqO6QwVhOJtTcxLlGh+uNMSsm3RoP7XuKk6+z3OOph2g+D5zuV5hNj' +
        'nV4ieAvrzibTqGVkqbQU8JSUjR7DS38182lPs2ElfVutbMyfCbrVBW3xjMmDmG6ztiVwjzPbnWLKzHL3cvRokAMdaVdyWwUopxUp' +
        'GUNyGAHsHPLq0ni01Z4pvVmtSh55L2HN3nyu0biXtcoAZOJGh9JeWk1JINpYeI2npxFdM2ojRoxDZRWoWdjRbdJkjpXlapEBjaSk' +
        '72DdK8Rj30b09KZ482REQ50ZvOoEaMpHIjopU+ErrBN7bwwmdqw2qIfNVokNC85/sM2JYKGQvF5J9gLZbQ4dsz02t3MWzARXXN5H' +
        'itmRGpFhta7fFbQWylTrnMavuBGBTkhSN3Bx6LXFC6FQhqmOt9AUa5X6zkoapsAFnPrh4jGHFK6uFp11nJpYM3hGnydI9oupYDZp' +
        'T3JcXQ+5el1EGxZdTHsYzBVW1uPJPSqRE+Adze6k8QJp4X11rca7asZCWkqlNhRzXrPbRuFoStNRI7KPVrWAeb0+h9YBXgvPiHXs' +
        '4O8OIXoVZwnAQ9fdIoMApVDgw6DLbAWRnO/VYtEXc+namlbakPIaN7HKcNO7tZr3FnaSdp11JdW06Pe9K9H3r3yhH2h5FukjfKbm' +
        'U/ldjsFG+RfURv15xm31FMS77ljBcTh2dCuWahS4dRgktRMYd4BJHC8FUUHTuxYZfWH0t7uOx57cVbugvDkFQ3GTlbj4CC4m3Ho9' +
        'rmFW6OvulHORvgURZNZoMRXPspwCVqWBZ59LI2fdQuZToT9t7trOU7WfGxcekmt6+q0u4Cl2nlegDqu5sqzB3kzmVeKOYfyKw18W' +
        'kybg2dNB9FIGXHyVR9Crd33CXAmJXowHPcLzZSAwG1s6oLmmxoa4uYMLyc1s1WuLmEI55Ned1tVo1vx7lunO9HQweL/Q7uYW6hmS' +
        '1Gt6GiC77RGMutxgRWjK3bokoSRzrDYrBCyVAm95x26VA7dClzBrmsu5amTTCDQ15Kon3H07M6wE48Zk8X28wmXcd5hkzp8H8B9z' +
        'o1DnGWqQQOB21RIj8L+wv4CxnPRQWzrLR5wZo81W29WJZQYzXbhbCrpeTbBF4CoYpVgCSSbimqC8SlGouNDYszY9iclBKqJGbo5W' +
        'VnDBwvZqFa5c5Q0s7M4NSboVngGQZm7M69uVsmX1yFIymTbpwu7rjUWiwM7XNDx0U74jQ3Jtim5c6Mskq6BBO2zRBcM9Mx1rTzsi' +
        'x9Ya0cV0DPXZA1AjW9Ba4J3Bh+nN39ioKJDt4n42AsKro4TazGMjrbBzNT4nOZA6nLv5wUzJgzQA/h0bFXL1Y8U2c7XGRPqlE0sn' +
        'I83S2LcVyLScIUeFOZwwkOS7QzO5QRKcstjq1F6Nzw6YfaEuxXj57BGnLwR8OWiM/Px+ujh9Zkp8A5ugGeJB0j6PA3xmkUXQ5M4S' +
        'LPQd22QptKm1ZYU0kilY8x7FV7atZK447d8YeXmhU6nXNouVdh4kX7BBN3R25aUexC+q+Nc9cVMcUy6HdzxOry66bwCwRStYK7Wj' +
        'hn1qZp6nv3JvetWOOyYVNp1lLEzE4i1YfEfClaGg4O3FXNg0KOcn2yMSTq7jdHHxxj2X2OevdVPHCRUp2TV4yL11O7JCNjt7KxAa' +
        'XSbg/i7kinChIWoQDiQ=',
    ),
  },
  xz: {
    needle: decode(
      '/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4AU4A1ZdABoYwsZJUfOvZSmzC0WoaABhYIRylnh/SbSgUFkrgQfcH+SJeh82O2LiK5uSexdw' +
        'sC5yxBPHtdq3TgtVinHdv2ZHQUFstmI8zkknAS4VgHdG7Hr1CdnfqphO0CcfK4wvzvnXXfv6kiYmDFTr44z3jsH/XW0/dcjNr54bAi02' +
        'eI0OuCMf4AHN0EOpAjRi7r9ga4UN7f6aac0L5UVkLeQMqLdT1ltSGADc/jBjLXBa+jSYaWohOJYAbuouwbACD7uFEDmwa5m4YZsERIZ7' +
        'RHrSJnO8MbGhaOiRYlby3sThP8riQ81Qh1p5ZDLbvxnk74LFOz3HvJxiC4uh4bqmP4dOkYNEqX0jJoMbq3KK5dOPGP7IcjX1UqrU+DKg' +
        'FRoCJlQ0bsoIuTJLw0h0o0R0cpb/myEZSPZdCQJjAawTQHe9Tu6nKRmQ3EhWXd3quBmFMhgBOgc+BnI+/ws1T23fxGhz9NU9T5r8P0/H' +
        'wCtk5ha+M+3qKzOLz1H0PujiEJCs5jTauvtvy2P8lSTHzQWoswCp+Pkei4L14O0zcxA2dVkXUegpZYoCA9iSRAftN52v5KyPQHuJ+ZR7' +
        'RtvnoOG9svrYrF/SVTAs4o8Z/pX27f6woaeNdxQ4TeqrYFmp1uGAfNHr+ht5YM4OGnerlr+9R2sPUcLDamc/OuWgJq0y8BXWCMNVeecX' +
        'UpU9e9YZaOmpnUZaihtEJHdXiD5P7H8tnzNe9XhrjWe10JOn4MDpCm9HkMt122mcVQUB9EYB3Va1TuwXT8MbjWqrvpNUVJFQMhXqGyNH' +
        'lQQVLZIDrtRL+GLS3tKpsYmvZpqVe6JmoYrPLHL/A2FLFVMAm/9bA0bRhtCgedsDkiKIPGucTSVNYfWmen2aLR7k3OTTF7zkTFg0PDQ4' +
        'oOQlxSDIE+O6v5v+edPTg/4388BJJ5/KrCAYgsbaeDSnJ5+EfAe6MS/NTsfj3AjKhgwhYck//eUlYHYf/SXDKfAqTxjTvPOuBuCq3XAT' +
        'Ppymizi324Jxlazm2E7uJltiZlbZ5YSzLdHW3SHETQuZzCiWEUL+QzmqtCFmTTVLm4jF6LojlayeQo6IDGW6YOWUbEpdNXm4axfQlEOB' +
        'qcEISEdJkHgsevqVhp3VYt43XaRUvZKtRL8AAAAAv/zCF5BWxs4AAfIGuQoAAKkdonmxxGf7AgAAAAAEWVo=',
    ),
    hello: decode(
      '/Td6WFoAAATm1rRGAgAhARwAAAAQz1jMAQALaGVsbG8Kd29ybGQKAIfGznfORiuuAAEkDKYY2NgftvN9AQAAAAAEWVo=',
    ),
    lines: decode(
      '/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM8MjfAO1dADQZSe6N6RSHw+2FYkVdaPYe9/B5PbbAnOouhu/xnlHOzNtQkqysUI/hNpQ9' +
        '8G4DM8M3zgmOA5Hq+gOtGPwj/1WmNFa09l3Ky6yq6rmhVIIgHcpAYXx2li5ZATL7vID1OYQFmQkiJlFCmPds+PIf37U78MS9Ll+q' +
        'Dz5LZkKQEw7/EJP4cXhZ+AvN/5UoRg+p/Hze+5owLlbAj4Xzg4HAZcQlU/j1kTYxBaWw7m/BcE1HDNGREaqtYB26zrEnGFxZhulm' +
        'Uli+6XasWeTlWwUI+cfarfz7Uit0zR5bIEL53VM9+ClkCTuAyydQqbMAAAAAAAAwCTctiaRFYwABiQLgkUMAlE3QcbHEZ/sCAAAA' +
        'AARZWg==',
    ),
    tar: decode(
      '/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM4Cf/AIBdADIaSqclTMpPo7bATGveCyhE1/WBN+rGQLCiOh6DmLxS8V/urN66fSY4d9p/' +
        '6dkW2vEBSZcXqrWFMY3mJ4TfR/HKq+uoJlF1ZVPhmBDtvz0m9q2VmYYz2LjYelkaCzYjGO4mhgam+Xcf4a5sxxqihwtLktZTWKz3' +
        'adrCW9+7d3AAAEDyDE1ajDxLAAGcAYBQAADes3QVscRn+wIAAAAABFla',
    ),
    noise: decode(
      '/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM4Au3BiRdADMYySpknaUxYO8thDR8C6gvbZ1joKvo9oaJGcIeKAcTjSUZbXn7d7XieqDU' +
        'WLwxVnderf92KB5aSn4spMCdFo8DUPdNzpbMoXOmXUdZULbWgHKPwvjd4Zx5jCYVPAj2daxEpopiFcIBD4BoWcRrW0Pav9WNRPEG' +
        '0/ZItdqbN5eJRexK4Nw4oldzYDluBg4N8dXM5A/YiIAVGt4EhfgbcQFx9zrJjg2GrhVErx+6K8vgwktqlvWJ+mTt8BFY3hCZrB9J' +
        'LDbFLLjqm4lnLDa5cE3qWhn1/tsT/lvjkQtL0fNvo+GblBkTU+ZeZN4EDoGuANsFNRkYcV12qjcBs91MMLKdAuIn0nCgvxpM/bk2' +
        'KmVKjVC98eFtsi5btEJ2qP+bh6PX8gX6UP97wtOHIexKGAI1k5mnHFGXkhY9Lm4K8JRTvPytc4nZrMEj7B1vdhw3Xrsks5YSW4mg' +
        'RHH8RXsq6CUIIGxovXwppTWsmgf3Kyr9/BH+sXa/P38d0d/Vg+J11wTkgt8+WieMdhthYEh1jciVikHAyr9d1GZ9z5+YreQ61nuA' +
        'IIKeggkfDzh6DSroPEyrPQHzNkSt8YCYoR+Dy30oBWivuweV/oAwsfRZtCUhfeyF56IGVVqJDsVcEh6wz7Po6M080E+81u+8xMQC' +
        'zeaOYQPIDN/P2kzBcSCjWI2bX5omrP98e7P4QBXSG0wZJTSBSnf6QEwnnLwils1y+e6GpnNrdv0uGy/cUfbCWAaD/oDjEvU0vsB0' +
        'P9d2HbTIMJ1zbR+tBuGT5EHE6yWjZs69+zU5dUmYtxYaUn9JJr8Pg+qhV8V+XnOzCYaoKwHss+ZMIrOVT/lNq2FL5eWvurI358Al' +
        'glCwxiirJGsACE+85aCbh94r7MrYb14uojDf8Se3UUre3nEjBVAHAGh1Ao77GVbRpGDYhlbsagvexsJsRTA94Hsf+88bBVdtngBZ' +
        'ryfDgSwfZm8mZM/pRwCqoaZBtrzNvr86kjzGEnE7zhOgI1/ReujOOnL3e5F1LCELUGo1lgzPSZfK539rMJsNsl6hsiAbOnBVTjMt' +
        'AtxPPVfCxvAA/tjVDxOhS3HXnsY72cAcSBNTWG+Dpf0XnDZyZF8qliXPZ+q0oDl9yxeFQTmxh1eg+zzzPRO3ZH5loXDOPpgAAiVZ' +
        'hhA6jRYRbds3kYmfMYHRsDXO2xiPX5PkWZQMSTmqNrK+FRtStex9l4g1aojuPhp83kQ+kWZbwS8C+bK7rKrAksUJFeW25TfqfOxG' +
        'iWi5qrqUiBg12Dsm/I71eK8wKyeB0x5YxUdP1wHQmHNFFClQKUJWhEGDvO6xaX7qdY1a8NbInCscR3vWAhsol0Uzeod5h+ph3TtL' +
        'fnSaDwW432SSI/LMHitQqWLzsZX1zGKatqIYNHAzTnHf8apa6b28MmvfsLDdXOuzf62J+12sjT63jQeSZQbrvPfjV+hrrIqV8oY7' +
        'Wq3jbh1qnvmJ1f01I1w8Ey7GdsWx3b3NmMnJdi2fw1iwqvutYgd3SNyLVopBzWEStL8ppX9nMPwOqvCVfQeonIPQr3n4zJUDMHvK' +
        'StTar28F8cBS6YPc24YPrJCq1RtRHSb0HoD1NRlroNKXa4w8xr0rxmnr+pU9tLg5hR9OM2GPz/aqh796yT0ud69EI0Tp2yc9bEvL' +
        'Pp5sOmkz6tvdWVta5bJGGEufwKyP0GdCE3AX4KUfKILTzvdCkhfLubXNeD59xKiXiBeKz28txkSJ3YD6IBnzGPb7sbHCoH8DyufF' +
        'rxBBgqs59/8mlvSrfRgYWQ3bX6FdkqHq/fCMM8CpNgniBH9FC5rnF7M7cAtxV5K4b4riOBPTHYKoAWgVXQ6+hr7oJZx0QZFPvVTH' +
        'eS09gfIz1dFHsHNWwjWKO1p0YF3wQmknLLAvueiL5nTLQKmJqHvJPA/OJcZMLYjkaj+X3lbHEbTQuxw3Km5bG+wLBqRPHw0lV2Qu' +
        'ylbzsNkibhIUOhFr1p1zI4M+iRFiREy+Q1r5M7Slu3cfd0ooPHkRbS5neMhzmKjfGIad0GBVDrlSmm06c5ytLDaq941HgrsaQ9Qw' +
        'JIvkVjeaWx4qfQtuznnuqhlK6vyaR3D53ILmIACNSuzvGRXKAwABwAy4FwAA6PTi1rHEZ/sCAAAAAARZWg==',
    ),
    hugeDictionary: decode(
      '/Td6WFoAAATm1rRGAgAhASQAAABeH8f5AQALaGVsbG8Kd29ybGQKAIfGznfORiuuAAEkDKYY2NgftvN9AQAAAAAEWVo=',
    ),
    sha256: decode(
      '/Td6WFoAAArh+wyhAgAhARYAAAB0L+WjAQALaGVsbG8Kd29ybGQKAEoeZ/L+HRzHsx0MouxEHaR3ggOgNqd9oQNEyF4k/w+SAAE8' +
        'DP+Aw1oYm0uaAQAAAAAKWVo=',
    ),
  },
  zst: {
    needle: decode(
      'KLUv/QRo9RYAmlNkCxKgFaQDJGRgX+wnkSRJ0mLfeK6vAK8AsABbRYotIXzXzEnpiAp+AVUQ1gKlK7DQGbHtJFaU9A6OVILi6RYrmHCN' +
        'YZSoixWYKCPwGEwT0e+5I+X0MNBWwC+4FU3eP4iuFGe77BpZvipSk9CD/EFtk1GPkNI6C5PmZUQ+MaxczJJ8fbIJ8HnbSWYPaQ5FR7WP' +
        'ShmDU1MogpSaBwU3HUYIEmacqR/5V3fiFB8VRJ2yZ3rUQRBhaz6lxC2tnlCHsxQkfW9uSGJ1x8gWfb1HFgj3wIkm13hWwvoYmFB+MN3z' +
        'iTcJtqFgh0aJl4DdYv2ksEepSmh/QptJz9AMV2B/Z8smyUO16gTD5rmXjKc7copaixZEwfAxOGQiqtDEyKEIdYKEL5OYTp6nvEIGTnRz' +
        'bbKCbdQwCaWhz0cq5/8UhXxzpihoQTXbYlwp7EayvQKPETxnPyuZDMGxK9BxdaeR8T36QorQClwl9zt8roRpeJ5b8E1tbSmerUpJEv1K' +
        'Kaam419yxfBQEpzhK7tgCgO1EG0aRhsZo+/TSYQJO7+TG+W7eAF7CQpf8oufSiRe6oiYsh8qTJEEHho4TFC2QRNP6J19nEn/5O6U2Hlv' +
        'fkqKzbzFAJH+zmRY+G6OqHhcEiSDh+dQEYvBiTA4+91fFB7VFkLJi2LdJHH9vKaU1TpFzSCsXzhPqTsa4U3IZscIaR06yCNGRvVKQQ77' +
        'W0bB8WR6KXNDw/+Jpr7gIRkBQYAAQEDAQLA2NT4Sbsybo9R0v3IJhXDnfdLWwfoqMLcdXyOZYQgaFEzSYYJkZlKYpmh1rwsLxt6hIYkQ' +
        'N5575DZghi9hU8UxKZ+hTj/w7XvrlO3fczoJJJyXS4oOBxIKnQt9DLppjN4SGzgjXElqNnGeII/1IUpGdP9QCzSQ3yfJEIN+eIn4bdYy' +
        'OTJiDig8wdlxgtfj8Utx5x51KYvCyHkkvKH7p1Qt9/YFJLTNaqTRAgAg1pW7',
    ),
    hello: decode('KLUv/QRYYQAAaGVsbG8Kd29ybGQKtQ6HFw=='),
    lines: decode(
      'KLUv/QRYnAAAWGhlbGxvIGxpbmUKAQDy/86LF0wAAAhpAQD8/zkQAkwAAAhsAQD8/zkQAkwAAAgKAQD8/zkQAkwAAAhsAQD8/zkQ' +
        'AkwAAAhsAQD8/zkQAkwAAAhlAQD8/zkQAkwAAAggAQD8/zkQAk0AAAhlAQDcSB0IAYaiQpA=',
    ),
    tar: decode(
      'KLUv/QRYnQMAIoQPGXBV0wEA6NWkV2TIDTz9/zASGKgZgKoTT8jNcUqR0jHzFGE2BOECaPA+zICgC11MsW+N9L9S6785yAGJ55IS' +
        'AJmf0gFgsGACGMB8f6GSMaAOgOABMhkYgDzheKAmBCgg3pAaAJIDDKDVAMfKZW4CSKA4auo=',
    ),
    noise: decode(
      'KLUv/QRYvSgAGri8EwngObkp2aCjrC45ATYBOQEfMjQmzLVGXJdK3KU1y5fBP7HVXS6nPyPqM5U5gOLgYO09sbFmbmxmHJ7OoxEB' +
        'bCGsIM8+09bzLBaxkachxXxCaQVBBOMcOTBgtXXBOU/RhmcXUWpVQsQakyMXHJ94T5ScldbxmG860QhJlph2KXMNEfwQzbzCPHmn' +
        'PBmI4H2asrduYQi5ZkIkE+nlcZbzdWgK5+6dzHdOw9GYiHEDAmSmmJjcKjYRIYrBkBRwFMFgPGBEfFig4VrtGZMYQRkADlAk9/nk' +
        'nH6TEcBUOl0nMgL1WJKJ9i1UIqJCCc+hoEQVHMs4z8xsIyDmoSNoAhmnqz77/xhBUAAkTtmEUUuOvdxxOj7c/KWrGVBGcg9YG28D' +
        'AyICMX0ofGzgkQnDyloGRh5TECwmBRjDsODNUHUAQQd6rPunhkAW0ykBA3gNvRQz8YK8wtZUrHY8LMtUr5zNrxh5DsIDomcDNLG8' +
        'QhI7AQMgIfnmNqzIASnB8IbELCBJ0KEkfjArCdhhATsTIcgtDw8iRhQzL+ZZiTTA0AlzDEKDrPSwg4kPLWSUImZy4fbhwHQGJE6M' +
        '/AXfMfCJQi0nZ1wFTuFQwg6SEd35xqCFDAHYGRI5At/Oq39Fv4B1+z4XjO+bGHUGykUFuaKIKgCTYRiyAlSrJdPRNGtE/UnBbNmp' +
        'LQbbi8LM14G3UyJGe/nGQEakQIvDuT+zaiBbLBCLwGptdL3XiHRCOtotb+wyT+OI3JpghZvMqeoEfUoYmN1p3enC6uWiqbzep5Kv' +
        'RmMqHocE9QvhbQ/TglKKzYLsOhOfBuai/PnrNYICHonf+K+CpbIQrg1+ZBoTHbnHuLdtCTIbAFfCacJSSCy2wuFjBfF22IyEpJ0V' +
        'mQCz2wUYqCYIi0C4kcmojAuAmGtbiJFwwDuJxVzgzgVuPxELmTCBFvC2yFP434OBAgGQLeD5nDJyBkQEQ7A/kCR5JjyKOAVruG7S' +
        'xc4WHwJcm8OngBHAJTrtMEW7OI46IBwiBFNpviAe14CWyqYSDvmIrfDlbsSITPiKMzERSML9Mh4YoSA4Hc4oZth7sVl06hgA46UM' +
        'SxjYqwQSFJhuyuAz4oo1vO/KMDwXNqYjO2/cnUH+Sb8tgcXZuYQopjEwibJhbS5hHDRz8/0sn7HQA7w6mBpHf2leb/Vt8h3nSikB' +
        'UhLsRkdY8AwlhiEgAghOz4jbFX3/RBazcVoTHALD2Yjkhk7DCqGRxXWBJ0BEtsgXcceNJ63tvqjANFEShbBJJATwTypaBSBPAgU6' +
        'dLonaObkHV1ENOfi051Xh8RWKXeZoDsWYwPeEBgwp41x4a8IOxMMdyxF1iueviHfLg+ZxC1eyFVzv/BuDPdICFRb0AjeymAWLaWA' +
        'dJgJbloEOXiBEYYYVoLdCksXyADENxoOPsRjeCLChQDM5yXEQ77GNAKS+SMO4ZBeKYiscDgd9Hwkh4iLxTMfgE/4DOLa6VkYoBQ5' +
        'G5N5aAQWlFx7JKQUHR7RSuUZcIxEX4Ax3IwNA2YO0Cie1SvmgcJgkDQ/q+hljIleYYjiApdeRFcA/OIH2ELw2xwwM4uTTWMA5E4K' +
        'eyR0FSMUM7PgUtliQgQglABrzrWxSOgx1VBg6YENygZJcK8LHRqGxIgW76/1pZ4nquBmZGOKwWJ/cxhDVSibisz0DQVWqiN2+JHd' +
        'EgsEAsxm1bkDFN3myRMEo+ZkyGQzEqebQjPJhkfHaYLHzN2MFOcF5Ug=',
    ),
  },
} as const;
