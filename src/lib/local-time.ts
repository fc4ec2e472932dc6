/** An instant as people read it at this machine, in its time zone: `14:02`. */
export function clockTime(at: number): string {
  return new Date(at).toTimeString().slice(0, 5);
}

/** The day of an instant, in the same way: `4 Mar 2026`. */
export function dayWords(at: number): string {
  return new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
}

export function isSameDay(one: number, other: number): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString();
}
