/** The time in this machine's time zone: `14:02`. */
export function clockTime(at: number): string {
  return new Date(at).toTimeString().slice(0, 5);
}

/** The day in this machine's time zone: `4 Mar 2026`. */
export function dayWords(at: number): string {
  return new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
}

export function isSameDay(one: number, other: number): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString();
}

/**
 * Returns a function that formats the day of an instant: `2026-03-04`. Without a time zone it uses this machine's,
 * without asking for its name: that takes longer than all the rest of an answer.
 */
export function dayIn(timeZone: string | undefined): (at: number) => string {
  if (timeZone === undefined) return dayHere;
  // Lazily: making a format is slower than using it.
  let made: Intl.DateTimeFormat | undefined;
  return (at) => {
    made ??= new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
    return made.format(at);
  };
}

function dayHere(at: number): string {
  const date = new Date(at);
  const month = String(date.getMonth() + 1).padStart(2, '0');
  return `${date.getFullYear()}-${month}-${String(date.getDate()).padStart(2, '0')}`;
}

/** A duration for people: `40 s`, `3 min`, `2 h 5 min`, `3 days`. */
export function durationWords(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return `${Math.floor(milliseconds / 1000)} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.floor(hours / 24)} days`;
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}
