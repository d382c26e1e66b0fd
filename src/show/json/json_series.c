// SPDX-License-Identifier: Apache-2.0
#include "show/json/json_in.h"

static void put_percentiles(struct json *json, const struct stats_series *series)
{
	static const char *const keys[STATS_N_PERCENTILES] = { "p50_ns", "p90_ns", "p95_ns", "p99_ns", "p99_9_ns" };

	for (int i = 0; i < STATS_N_PERCENTILES; i++)
		json_real(json, keys[i], series->percentile[i].ns);
}

static void put_histogram(struct json *json, const struct stats_histogram *histogram)
{
	json_object(json, "histogram");
	json_bool(json, "is_logarithmic", histogram->is_log);
	json_array(json, "bins");
	for (uint32_t i = 0; i < histogram->n; i++) {
		json_object(json, NULL);
		json_real(json, "from_ns", histogram->edge[i]);
		json_real(json, "below_ns", histogram->edge[i + 1]);
		json_count(json, "inferences", histogram->count[i]);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_count(json, "inferences_above", histogram->n_above);
	json_end(json, '}');
}

void json_series(struct json *json, const char *key, const struct stats_series *series)
{
	static const char *const drifts[] = { NULL, "steady", "slowing", "quickening" };

	if (!series->n) {
		json_null(json, key);
		return;
	}
	json_object(json, key);
	json_count(json, "count", series->n);
	json_real(json, "total_ns", series->total_ns);
	json_real(json, "mean_ns", series->mean_ns);
	json_real(json, "mean_interval_95_ns", series->interval_ns);
	json_real(json, "independent_values", series->n_effective);
	json_bool(json, "interval_is_a_guess", series->is_short);
	json_real(json, "deviation_ns", series->deviation_ns);
	json_count(json, "min_ns", series->min_ns);
	put_percentiles(json, series);
	json_count(json, "max_ns", series->max_ns);
	json_real(json, "outliers_above_ns", series->outlier_ns);
	json_count(json, "outliers", series->n_outliers);
	json_real(json, "outliers_share", series->outlier_share);
	json_text(json, "drift", drifts[series->drift]);
	json_real(json, "last_quarter_by_first", series->drift_ratio);
	put_histogram(json, &series->histogram);
	json_end(json, '}');
}
