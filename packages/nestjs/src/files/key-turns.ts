/** Lets work of one key follow the other: two files on their way under one name would end as neither. */
export class KeyTurns {
  private readonly last = new Map<string, Promise<unknown>>();

  take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(key) ?? Promise.resolve();
    const turn = before.catch(() => undefined).then(work);
    this.last.set(key, turn);
    const end = () => {
      if (this.last.get(key) === turn) this.last.delete(key);
    };
    turn.then(end, end);
    return turn;
  }
}
