/** The edges of a weighted, directed graph in typed arrays that grow: a tree of 20,000 files has a million. */

export class EdgeList {
  count = 0;
  /** `from[i] → to[i]`; only the first `count` of each count. */
  from = new Int32Array(1024);
  to = new Int32Array(1024);
  weight = new Float32Array(1024);

  add(from: number, to: number, weight: number): void {
    if (this.count === this.from.length) this.#grow();
    this.from[this.count] = from;
    this.to[this.count] = to;
    this.weight[this.count] = weight;
    this.count += 1;
  }

  #grow(): void {
    const size = 2 * this.count;
    const [from, to, weight] = [new Int32Array(size), new Int32Array(size), new Float32Array(size)];
    from.set(this.from);
    to.set(this.to);
    weight.set(this.weight);
    [this.from, this.to, this.weight] = [from, to, weight];
  }
}
