/* SPDX-License-Identifier: Apache-2.0 */
/* A library in the place of a provider's, which has none. */
int no_provider;
