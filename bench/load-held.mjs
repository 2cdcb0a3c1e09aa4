// The resources of the server of `load` before, during and after the load.
import { held } from './load.mjs';

export const rows = () => held;
