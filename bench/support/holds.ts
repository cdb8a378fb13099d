/**
 * Watches the event loop of this process. Processor time, so that a busy machine makes no difference.
 * @returns a function that tells the longest turn since it was asked last, in milliseconds
 */
export function watchTurns(): () => number {
  let longest = 0;
  let before = process.threadCpuUsage();
  const look = () => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.threadCpuUsage();
  };
  setInterval(look, 1).unref();
  return () => {
    const told = longest;
    longest = 0;
    return told;
  };
}
